// The connectors of the server by plain names, and the mark of simulated devices.
import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Connector, Device } from "../../api/types.ts";
import { devices } from "../../queries/devices.ts";
import { useAccountId } from "../../session/session.tsx";
import { type Texts, useText } from "../../texts/index.tsx";

const SELDOM = 5 * 60_000; // They change when the server is started.

export function useConnectors() {
  const account = useAccountId();
  return useQuery({
    ...devices.connectors(account),
    staleTime: SELDOM,
    select: (page) => page.items,
  });
}

/** The connector of a device; undefined while it is not known. */
export function useConnector(name: string): Connector | undefined {
  return useConnectors().data?.find((one) => one.name === name);
}

/** "Your phone"; of a program that the operator added also its own name. */
export function connectorName(connector: Connector, t: Texts): string {
  const { name } = t.connectors.kinds[connector.kind];
  return connector.kind === "custom" ? `${name}: ${connector.name}` : name;
}

/** What may happen to a number that sends by it; undefined: nothing special. */
export function riskOf(connector: Connector, t: Texts): string | undefined {
  return (t.connectors.risks as Record<string, string>)[connector.kind];
}

/** Marks a device whose messages reach nobody. */
export function SimulatedMark({ device }: { device: Pick<Device, "simulated"> }) {
  const t = useText().connectors;
  if (!device.simulated) return null;
  return (
    <Badge size="sm" variant="light" color="gray" flex="none" title={t.simulatedText}>
      {t.simulated}
    </Badge>
  );
}
