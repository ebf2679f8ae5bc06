import { once } from 'node:events';
import { connect } from 'node:net';
import type { Manifest } from '@hortus/contract/template/manifest';
import { expect } from 'vitest';
import type { Plant } from './plant.ts';

/** One deploy test of a template, made against the containers themselves: no ingress stands in front of them here. */
export async function checkSmoke(plant: Plant, test: Manifest['smoke'][number]): Promise<void> {
  const { http, tcp, exec } = test;
  if (http) await checkRoute(plant, http);
  if (tcp) {
    const socket = connect({ host: await plant.address(tcp.component), port: tcp.port });
    await once(socket, 'connect');
    socket.destroy();
  }
  if (exec) await plant.say(...exec.command);
}

type RouteTest = NonNullable<Manifest['smoke'][number]['http']>;

async function checkRoute(plant: Plant, { route: name, path, expect: status, contains }: RouteTest): Promise<void> {
  const route = plant.manifest.routes.find((one) => one.name === name) ?? expect.fail(`no route ${name}`);
  const address = await plant.address(route.component);
  const answer = await fetch(`http://${address}:${route.port}${path}`, { redirect: 'manual' });
  const text = await answer.text();
  expect(answer.status, `${plant.uid}: ${path}: ${text}`).toBe(status);
  if (contains !== undefined) expect(text).toContain(contains);
}
