import { useApi } from '../../api/query.ts';
import { useCurrentSearch } from '../../parts/list-search.ts';

/** Filters a list by server. Absent for people who may not read servers. */
export function ServerFilter() {
  const [{ server_id = '' }, change] = useCurrentSearch();
  const servers = useApi('overview.read').data?.data.servers ?? [];
  if (servers.length < 2 && server_id === '') return null;
  return (
    <select
      className="input filter"
      aria-label="Server"
      value={server_id}
      onChange={(event) => change({ server_id: event.target.value || undefined })}
    >
      <option value="">Server: all</option>
      {servers.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
