import type { ReportedComponent } from '@hortus/contract/resources/instance-records';

/** Reported components as they are stored. Of two with one name the first counts. */
export const componentsText = (reported: readonly ReportedComponent[]): string =>
  JSON.stringify(
    [...Map.groupBy(reported, ({ name }) => name).values()].flatMap(([first]) => (first ? [stored(first)] : [])),
  );

const stored = ({
  name,
  container_id = null,
  container_name,
  status,
  health = 'unknown',
  image = null,
  nodes,
}: ReportedComponent) => ({
  name,
  container_id,
  ...(container_name && { container_name }),
  status,
  health,
  image,
  ...(nodes && { nodes }),
});

/** Synced components as they are on another server: names stay, ids of containers mean nothing there. */
export const withoutIds = (components: string): string =>
  JSON.stringify((JSON.parse(components) as object[]).map((component) => ({ ...component, container_id: null })));
