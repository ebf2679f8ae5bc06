import { once } from 'node:events';
import { connect } from 'node:net';
import type { Manifest } from '@hortus/contract/template/manifest';
import { expect } from 'vitest';

/** Access to a deployed template for a check. */
export interface Checked {
  readonly uid: string;
  readonly manifest: Manifest;
  address(component: string): Promise<string>;
  say(...command: string[]): Promise<unknown>;
}

/** Runs one smoke test directly against the containers, without an ingress. */
export async function checkSmoke(deployed: Checked, test: Manifest['smoke'][number]): Promise<void> {
  const { http, tcp, exec } = test;
  if (http) await checkRoute(deployed, http);
  if (tcp) {
    const socket = connect({ host: await deployed.address(tcp.component), port: tcp.port });
    await once(socket, 'connect');
    socket.destroy();
  }
  if (exec) await deployed.say(...exec.command);
}

type RouteTest = NonNullable<Manifest['smoke'][number]['http']>;

async function checkRoute(
  deployed: Checked,
  { route: name, path, expect: status, contains }: RouteTest,
): Promise<void> {
  const route = deployed.manifest.routes.find((route) => route.name === name) ?? expect.fail(`no route ${name}`);
  const address = await deployed.address(route.component);
  // Like the ingress: the path of the test comes after that of the route.
  const full = route.strip ? path : `${route.path.replace(/\/$/, '')}${path}`;
  const response = await fetch(`http://${address}:${route.port}${full}`, { redirect: 'manual' });
  const text = await response.text();
  expect(response.status, `${deployed.uid}: ${full}: ${text}`).toBe(status);
  if (contains !== undefined) expect(text).toContain(contains);
}
