import { expect, it } from 'vitest';
import type { Manifest } from '../template/manifest.ts';
import { lacksOf } from './fingerprint.ts';

const all = { engine_problem: null, gpu_runtime: 'nvidia', caddy_version: '2.6.2' };
const manifest = (component: object, routes: object[] = []) =>
  ({ components: [{ name: 'main', replicas: 1, ...component }], routes }) as unknown as Manifest;
const resources = (...args: Parameters<typeof lacksOf>) => lacksOf(...args).map(({ resource }) => resource);

it('a server with everything, or a manifest without needs, lacks nothing', () => {
  expect(lacksOf(manifest({ gpu: { count: 1 }, replicas: 2 }, [{ component: 'main' }]), all)).toEqual([]);
  expect(lacksOf(manifest({}), { engine_problem: null, gpu_runtime: null, caddy_version: null })).toEqual([]);
});

it('a lack names the component that needs the missing resource', () => {
  const [lack] = lacksOf(manifest({ gpu: { count: 'all' } }), { ...all, gpu_runtime: null });
  expect(lack).toMatchObject({ resource: 'gpu_runtime', message: expect.stringContaining('main needs a GPU') });
});

it('several replicas behind a route need an ingress, a single one does not', () => {
  const without = { ...all, caddy_version: null };
  expect(resources(manifest({ replicas: 2 }, [{ component: 'main' }]), without)).toEqual(['caddy_version']);
  expect(resources(manifest({ replicas: 2 }), without)).toEqual([]);
  expect(resources(manifest({}, [{ component: 'main' }]), without)).toEqual([]);
});

it('an unusable engine is a lack, with the reason', () => {
  const old = { ...all, engine_problem: 'it speaks API 1.40' };
  expect(lacksOf(manifest({}), old)).toEqual([
    { resource: 'engine_problem', message: 'its engine cannot be used: it speaks API 1.40' },
  ]);
});
