import type { Component } from '@hortus/contract/resources/instance-records';
import type { InstanceReading } from '@hortus/contract/resources/metrics';
import { memory } from '../../../parts/amount.ts';
import { Status, wordOf } from '../../../parts/status.tsx';

/** The containers of an instance with what they use now. */
export function Components({
  components,
  reading,
}: {
  components: readonly Component[];
  reading: InstanceReading | undefined;
}) {
  if (components.length === 0)
    return <p className="text-ink-2">No containers yet. Its daemon reports them at the end of each deployment.</p>;
  // Only components of a cluster have nodes.
  const onNodes = components.some(({ nodes }) => nodes !== undefined);
  return (
    <div className="sheet">
      <table className="table stacks" aria-label="Components">
        <thead>
          <tr>
            <th>Name</th>
            <th className="not-on-phone">Image</th>
            {onNodes && <th>Nodes</th>}
            <th>Health</th>
            <th className="not-on-phone text-right!">CPU</th>
            <th className="not-on-phone text-right!">Memory</th>
          </tr>
        </thead>
        <tbody>
          {components.map((component) => {
            const usage = reading?.components.find((item) => item.component === component.name);
            return (
              <tr key={component.name}>
                <td>
                  <b>{component.name}</b>
                </td>
                <td className="not-on-phone">
                  <code className="[overflow-wrap:anywhere]">{component.image ?? '–'}</code>
                </td>
                {onNodes && <td>{component.nodes?.join(', ') || '–'}</td>}
                <td>
                  <Status state={wordOf(component)} />
                </td>
                <td className="not-on-phone text-right">{usage ? `${usage.cpu_percent.toFixed(1)} %` : '–'}</td>
                <td className="not-on-phone text-right">{usage ? memory(usage.memory_bytes) : '–'}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
