import type { DatabaseSync } from 'node:sqlite';
import type { InstanceRoute, ServedRoute } from './served-route.ts';

/** Routes that this server serves, by instance. */
export class Routes {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  keep(instanceUid: string, routes: readonly ServedRoute[]): void {
    if (routes.length === 0) {
      this.forget(instanceUid);
      return;
    }
    this.#db
      .prepare(`insert into routes (instance_uid, routes) values (?, ?)
                on conflict (instance_uid) do update set routes = excluded.routes`)
      .run(instanceUid, JSON.stringify(routes));
  }

  of(instanceUid: string): ServedRoute[] {
    const row = this.#db.prepare('select routes from routes where instance_uid = ?').get(instanceUid);
    return row === undefined ? [] : JSON.parse(row.routes as string);
  }

  all(): InstanceRoute[] {
    const rows = this.#db.prepare('select instance_uid, routes from routes order by instance_uid').all();
    return rows.flatMap(({ instance_uid, routes }) =>
      (JSON.parse(routes as string) as ServedRoute[]).map((route) => ({
        ...route,
        instanceUid: instance_uid as string,
      })),
    );
  }

  forget(instanceUid: string): void {
    this.#db.prepare('delete from routes where instance_uid = ?').run(instanceUid);
  }
}
