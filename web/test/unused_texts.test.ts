// No text that no page shows: readers of the texts would translate it in vain.
import { resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const isTexts = (file: string) => file.includes("/src/texts/");

/** The texts in the order of the sources: each property of an area, by its place. */
type Known = Map<ts.Node, string>;

function textsOf(program: ts.Program): Known {
  const known: Known = new Map();
  const add = (object: ts.ObjectLiteralExpression, path: string) => {
    for (const property of object.properties) {
      if (!ts.isPropertyAssignment(property)) continue;
      const name = `${path}.${property.name.getText()}`;
      if (ts.isObjectLiteralExpression(property.initializer)) add(property.initializer, name);
      else known.set(property, name);
    }
  };
  for (const file of program.getSourceFiles().filter(({ fileName }) => isTexts(fileName))) {
    ts.forEachChild(file, (node) => {
      if (!ts.isVariableStatement(node)) return;
      const [declared] = node.declarationList.declarations;
      const value = declared?.initializer;
      if (declared?.name.getText() !== "id" || !value || !ts.isObjectLiteralExpression(value))
        return;
      add(value, file.fileName.replace(/.*\/(\w+)\.ts$/, "$1"));
    });
  }
  return known;
}

/** Removes what the sources use: a text by its name, or all of a group that is used as a whole. */
function removeUsed(program: ts.Program, known: Known): void {
  const checker = program.getTypeChecker();
  const removeAllOf = (type: ts.Type) => {
    for (const property of type.getProperties()) {
      for (const place of property.declarations ?? []) {
        known.delete(place);
        if (isText(place)) removeAllOf(checker.getTypeOfSymbol(property));
      }
    }
  };
  const visit = (node: ts.Node) => {
    if (ts.isPropertyAccessExpression(node)) {
      const symbol = checker.getSymbolAtLocation(node.name);
      for (const place of symbol?.declarations ?? []) known.delete(place);
    }
    if (isGroupUsedAsAWhole(node)) removeAllOf(checker.getTypeAtLocation(node));
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) {
    const isApp = file.fileName.includes("/web/src/") && !isTexts(file.fileName);
    if (isApp) visit(file);
  }
}

const isText = (place: ts.Node) => isTexts(place.getSourceFile().fileName);

/** `t.states[x]`, `names as Record<...>`, `Object.entries(t.plans)`, `words: Names = t.steps`. */
function isGroupUsedAsAWhole(node: ts.Node): boolean {
  const { parent } = node;
  if (!parent) return false;
  if (ts.isElementAccessExpression(parent)) return parent.expression === node;
  if (ts.isAsExpression(parent))
    return parent.expression === node && ts.isPropertyAccessExpression(node);
  if (!ts.isPropertyAccessExpression(node)) return false;
  if (ts.isVariableDeclaration(parent)) return parent.type !== undefined;
  // An area that is passed on is used by name where it arrives.
  const isArea =
    ts.isPropertyAccessExpression(node) && !ts.isPropertyAccessExpression(node.expression);
  return ts.isCallExpression(parent) && parent.expression !== node && !isArea;
}

test("every text is shown somewhere", { timeout: 240_000 }, () => {
  const { config } = ts.readConfigFile(`${ROOT}/tsconfig.json`, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram(fileNames, options);
  program.getTypeChecker(); // Gives each node its parent.
  const known = textsOf(program);
  expect(known.size).toBeGreaterThan(500); // Else the test does not find them.
  removeUsed(program, known);
  expect([...known.values()]).toEqual([]);
});
