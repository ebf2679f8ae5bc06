import { useApiWhen } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Copy } from '../../../parts/copy.tsx';
import { Section } from '../../../parts/page.tsx';

/** Moves that would even out the servers, as commands to copy; nothing if none would help. */
export function BalanceSection({ servers }: { servers: number }) {
  const may = useMay();
  const { data } = useApiWhen(servers > 1 && may('definitions:read'), 'servers.balance');
  const moves = data?.data.moves ?? [];
  if (moves.length === 0) return null;
  return (
    <Section title="Balance" className="mt-9">
      <p className="mb-2 text-ink-2">Nothing is moved by itself. These moves would even out the servers:</p>
      <ul aria-label="Proposed moves" className="sheet px-[18px] py-4">
        {moves.map(({ definition_id, name, from_server_name, to_server_name, reason, command }) => (
          <li key={definition_id} className="mb-3">
            <b>{name}</b> {from_server_name} → {to_server_name}
            <small className="block text-ink-2">{reason}</small>
            <code>{command}</code> <Copy text={command} label="Copy command" />
          </li>
        ))}
      </ul>
    </Section>
  );
}
