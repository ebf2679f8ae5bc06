import { expect, it } from 'vitest';
import { CapacityMeter, cpuTimesOf, memoryOf } from './capacity.ts';

it('memory, processor and disk of this machine are measured', async () => {
  const meter = new CapacityMeter('/');
  await meter.read();
  const { memory, cpu, disk } = await meter.read();
  expect(memory.used + memory.free).toBeGreaterThan(100e6);
  expect(disk.used + disk.free).toBeGreaterThan(100e6);
  expect(cpu.cores).toBeGreaterThan(0);
  expect(cpu.used_percent).toBeGreaterThanOrEqual(0);
  expect(cpu.used_percent).toBeLessThanOrEqual(100);
});

it('reclaimable memory counts as free, and iowait as idle', () => {
  expect(memoryOf('MemTotal:  1000 kB\nMemFree:  10 kB\nMemAvailable:  400 kB\n')).toEqual({
    used: 600 * 1024,
    free: 400 * 1024,
  });
  expect(cpuTimesOf('cpu  10 0 20 60 10 0 0 0 5 0\ncpu0 1 2 3\n')).toEqual({ busy: 30, all: 100 });
});
