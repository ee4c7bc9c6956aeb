# Finds the names that a C++ file declares at namespace scope, for tools/tidy. Reads only as much of
# the language as files need that clang-format has laid out and a compiler accepts.
package private_names;
use strict;
use warnings;
use Exporter qw(import);

our @EXPORT_OK = qw(clashes names_of);

# The names in a file's text, each {name, scope, line, kind, key, private}. `scope` leaves unnamed
# namespaces out. `kind` is function, type, alias or variable. Two functions with the same `key` are
# the same function, two aliases with the same `key` name the same type. Qualified names, such as
# `Class::name`, are left out.
sub names_of {
    my ($text) = @_;
    my @tokens = tokens_of($text);
    my (@scopes, @names);
    my $next = 0;
    while ($next < @tokens) {
        my $word = $tokens[$next][0];
        if ($word eq '}') {
            pop @scopes;
            $next++;
        } elsif ($word eq 'namespace' || ($word eq 'extern' && $tokens[$next + 1][0] eq '"')) {
            my @head;
            push @head, $tokens[$next++][0] while $tokens[$next][0] !~ /^[{;]$/;
            push @scopes, join '', @head[1 .. $#head] if $tokens[$next][0] eq '{';
            $next++;
        } else {
            my @declaration = take_declaration(\@tokens, \$next);
            my $name = name_of(@declaration) or next;
            $name->{private} ||= grep { $_ eq '' } @scopes;
            $name->{scope} = join '::', grep { $_ ne '' && $_ ne '"' } @scopes;
            push @names, $name;
        }
    }
    return @names;
}

# Whether two names of one scope would conflict or be ambiguous in one file.
sub clashes {
    my ($one, $other) = @_;
    return 0 if !$one->{private} && !$other->{private};
    return 1 if $one->{kind} ne $other->{kind};
    return $one->{key} eq $other->{key} if $one->{kind} eq 'function';
    return $one->{key} ne $other->{key} if $one->{kind} eq 'alias';
    return 1;
}

# The tokens of a text, each [word, line], without comments and preprocessor lines. Every string or
# character literal is the word ".
sub tokens_of {
    my ($text) = @_;
    my @tokens;
    my $line = 1;
    while ($text =~ m{\G(?:
            (?<left> //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.)* | \s+)
          | (?<text> (?:u8|[uUL])? (?: R"(?<end>[^(]*)\(.*?\)\g{end}" | "(?:[^"\\]|\\.)*" ) )
          | (?<word> '(?:[^'\\]|\\.)+' | \d(?:[\w.]|'\w)* | \w+ | :: | -> | .))}xgcsm) {
        push @tokens, [defined $+{text} ? '"' : $+{word}, $line] if !defined $+{left};
        $line += $& =~ tr/\n//;
    }
    return @tokens;
}

# The tokens of the declaration that begins at $$next, without the content of a body's braces.
sub take_declaration {
    my ($tokens, $next) = @_;
    my @taken;
    my ($depth, $has_parameters, $has_value) = (0, 0, 0);
    while ($$next < @$tokens) {
        my $token = $tokens->[$$next++];
        my $word = $token->[0];
        return @taken if $word eq ';' && $depth == 0;
        push @taken, $token;
        if ($word eq '(' || $word eq '[') {
            $has_parameters ||= $depth == 0 && $word eq '(' && !$has_value;
            $depth++;
        } elsif ($word eq ')' || $word eq ']') {
            $depth--;
        } elsif ($word eq '=' && $depth == 0) {
            # Except the "=" in the name of an operator.
            $has_value ||= !grep { $_->[0] eq 'operator' } @taken;
        } elsif ($word eq '{') {
            skip_braces($tokens, $next);
            push @taken, ['}', $token->[1]];
            # A body ends a function; the braces of a member initialiser do not.
            return @taken if $depth == 0 && $has_parameters && !$has_value
                && !(is_in_initializers(@taken) && $taken[-3][0] =~ /^(?:\w+|>)$/);
        }
    }
    return @taken;
}

sub skip_braces {
    my ($tokens, $next) = @_;
    for (my $depth = 1; $depth > 0 && $$next < @$tokens; $$next++) {
        $depth += {'{' => 1, '}' => -1}->{$tokens->[$$next][0]} // 0;
    }
    return;
}

# Whether the tokens end inside a constructor's list of member initialisers.
sub is_in_initializers {
    my $depth = 0;
    for my $number (0 .. $#_) {
        my $word = $_[$number][0];
        $depth += {'(' => 1, ')' => -1}->{$word} // 0;
        return 1 if $word eq ':' && $depth == 0 && $_[$number - 1][0] =~ /^(?:\)|noexcept)$/;
    }
    return 0;
}

sub name_of {
    my @all = map { $_->[0] } @_;
    my @words = without_attributes(@all);
    my $template = '';
    while (@words && $words[0] eq 'template') {
        shift @words;
        my @head = take_angles(\@words);
        $template .= '<' . (grep({ $_ eq ',' } @head) + (@head > 2 ? 1 : 0)) . '>';
    }
    return if !@words || $words[0] =~ /^(?:static_assert|extern|friend|requires|asm|")$/;
    my %found = (line => $_[0][1], private => 0, key => '');
    if ($words[0] eq 'using') {
        return if ($words[2] // '') ne '=';
        return {%found, kind => 'alias', name => $words[1], key => "$template @words"};
    }
    if ($words[0] eq 'concept') {
        return {%found, kind => 'type', name => $words[1]};
    }
    if ($words[0] =~ /^(?:class|struct|union|enum)$/) {
        my @head = grep { !/^(?:class|struct|union|enum|final|alignas)$/ } @words;
        my $name = shift @head // '';
        return if $name !~ /^\w+$/ || !@head || $head[0] !~ /^[:{]$/;  # Only declared; special.
        return {%found, kind => 'type', name => $name};
    }
    return object_of(\%found, $template, @words);
}

# A function or a variable.
sub object_of {
    my ($found, $template, @words) = @_;
    my %is = map { $_ => 1 } @words;
    my ($angles, $at) = (0, undef);
    for my $number (0 .. $#words) {
        my $word = $words[$number];
        $at = $number, last if $word eq 'operator';
        $angles++ if $word eq '<';
        $angles-- if $word eq '>';
        $at = $number - 1, last
            if $angles == 0 && $number > 0 && $word =~ /^[(={[]$/ && $words[$number - 1] =~ /^\w/;
    }
    $at //= $#words;
    return if $at < 1 || $words[$at - 1] =~ /^(?:::|~)$/ || $words[$at] !~ /^[A-Za-z_]\w*$/;
    my @after = @words[$at + 1 .. $#words];
    my $name = $words[$at];
    if ($name eq 'operator') {
        $name .= shift @after while @after && ($after[0] ne '(' || $name eq 'operator' );
    }
    my @before = @words[0 .. $at - 1];
    my $is_const = grep { /^(?:constexpr|constinit|const|static)$/ } @before;
    if (($after[0] // '') ne '(') {
        my $private = $is_const && !(grep { $_ eq 'inline' } @before) ? 1 : 0;
        return {%$found, kind => 'variable', name => $name, private => $private};
    }
    return {%$found, kind => 'function', name => $name, key => "$template " . parameters(@after),
            private => (grep { $_ eq 'static' } @before) ? 1 : 0};
}

# The types of parameters, without names and default values. The words begin with "(".
sub parameters {
    my @words = @_;
    my ($depth, @types, @type) = (0);
    for my $word (@words) {
        $depth++ if $word =~ /^[(<[{]$/;
        $depth-- if $word =~ /^[)>\]}]$/;
        if ($depth == 0 || ($depth == 1 && $word eq ',')) {
            push @types, type_of(@type);
            @type = ();
            last if $depth == 0;
        } elsif ($depth > 1 || $word ne '(') {
            push @type, $word;
        }
    }
    return join ', ', @types;
}

sub type_of {
    my @words = without_attributes(@_);
    my ($value) = grep { $words[$_] eq '=' } 0 .. $#words;
    splice @words, $value if defined $value;
    my $no_type = qr/^(?:const|volatile|typename|struct|class|enum|::|unsigned|signed|long)$/;
    pop @words if @words > 1 && $words[-1] =~ /^[A-Za-z_]\w*$/ && $words[-2] !~ $no_type;
    return join ' ', @words;
}

sub without_attributes {
    my @words;
    my $depth = 0;
    for my $number (0 .. $#_) {
        my $opens = $_[$number] eq '[' && ($_[$number + 1] // '') eq '[';
        $depth = 1 if $opens && $depth == 0;
        push @words, $_[$number] if $depth == 0;
        $depth = 0 if $depth && $_[$number] eq ']' && $_[$number - 1] eq ']';
    }
    return @words;
}

sub take_angles {
    my ($words) = @_;
    my (@taken, $depth);
    while (@$words) {
        push @taken, shift @$words;
        $depth += {'<' => 1, '>' => -1}->{$taken[-1]} // 0;
        last if $depth == 0;
    }
    return @taken;
}

1;
