import { expect, it } from 'vitest';
import { deviceOf } from './device.ts';

it('a session is named by its browser and system, and any other program by its own name', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  expect(deviceOf(chrome)).toBe('Chrome on Linux');
  expect(deviceOf(`${chrome} Edg/140.0.0.0`)).toBe('Edge on Linux');
  expect(deviceOf('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1')).toBe(
    'Safari on iOS',
  );
  expect(deviceOf('curl/8.5.0')).toBe('curl/8.5.0');
  expect(deviceOf(null)).toBe('An unknown program');
});
