import { Tag } from '../../../parts/status.tsx';

const SHOWN = 2;

/** What a key may, in the space of a table cell: two names, and how many more; all of them on hover. */
export function GrantedTags({ permissions }: { permissions: readonly string[] }) {
  if (permissions.includes('admin')) return <Tag tone="bad">admin</Tag>;
  const rest = permissions.length - SHOWN;
  return (
    <span className="flex gap-[5px]" title={permissions.join(', ')}>
      {permissions.slice(0, SHOWN).map((name) => (
        <Tag key={name} mono>
          {name}
        </Tag>
      ))}
      {rest > 0 && <Tag>+{rest}</Tag>}
    </span>
  );
}
