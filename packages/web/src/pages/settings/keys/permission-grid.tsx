import { allows, type Permission, permissionNames } from '@hortus/contract/permissions';
import { permissions } from '@hortus/contract/records/names';
import { useSession } from '../../../api/session.ts';
import { CheckField } from '../../../parts/check-field.tsx';
import { sentenceCase } from '../../../parts/status.tsx';
import { toggled } from '../../../parts/toggled.ts';

const COLUMNS = ['read', 'write', 'execute', 'report'] as const;

const parts = (name: Permission): [resource: string, verb: string] => name.split(':') as [string, string];
const isInGrid = (name: Permission) => COLUMNS.some((column) => parts(name)[1] === column);
const resources = [...new Set(permissionNames.filter(isInGrid).map((name) => parts(name)[0]))];

/** All permissions that only read; the start for a key that watches. */
export const readOnly = (mine: readonly Permission[]): Permission[] => mine.filter((name) => name.endsWith(':read'));

/** What the signed-in person may give to a key: what they have themselves. */
export function useGrantable(): readonly Permission[] {
  const { permissions: granted } = useSession();
  return permissionNames.filter((name) => allows(granted, name));
}

/** Chooses permissions: a grid of resources and verbs, then those that fit no column, in words. */
export function PermissionGrid({
  chosen,
  onChange,
}: {
  chosen: ReadonlySet<Permission>;
  onChange: (chosen: ReadonlySet<Permission>) => void;
}) {
  const mine = useGrantable();
  const rest = mine.filter((name) => !isInGrid(name));
  const toggle = (name: Permission) => onChange(toggled(chosen, name));
  return (
    <div className="choices">
      <table>
        <thead>
          <tr>
            <th>Resource</th>
            {COLUMNS.map((verb) => (
              <th key={verb}>{verb}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {resources.map((resource) => (
            <tr key={resource}>
              <th scope="row">{sentenceCase(resource)}</th>
              {COLUMNS.map((verb) => {
                const name = `${resource}:${verb}` as Permission;
                return (
                  <td key={verb}>
                    {mine.includes(name) ? (
                      <input
                        type="checkbox"
                        className="check"
                        aria-label={name}
                        title={permissions[name]}
                        checked={chosen.has(name)}
                        onChange={() => toggle(name)}
                      />
                    ) : (
                      '–'
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="border-t border-line px-3 py-1.5">
        {rest.map((name) => (
          <CheckField
            key={name}
            label={<code>{name}</code>}
            help={permissions[name]}
            checked={chosen.has(name)}
            onChange={() => toggle(name)}
          />
        ))}
      </div>
    </div>
  );
}
