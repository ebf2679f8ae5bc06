import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hostPortText, joinedPorts, portCount, portText, singlePorts } from './port-ranges.ts';

it('a range is written out with the ports of the server beside it, after the first ports of all entries', () => {
  const ranges = [
    { container_port: 100, last_port: 102, host_port: 200, protocol: 'udp' },
    { container_port: 80, protocol: 'tcp' },
  ];
  expect(singlePorts(ranges)).toEqual([
    { container_port: 100, host_port: 200, protocol: 'udp' },
    { container_port: 80, protocol: 'tcp' },
    { container_port: 101, host_port: 201, protocol: 'udp' },
    { container_port: 102, host_port: 202, protocol: 'udp' },
  ]);
});

it('texts name both ends of a range', () => {
  const range = { container_port: 100, last_port: 102, host_port: 200 };
  expect([portText(range), hostPortText(range)]).toEqual(['100-102', '200-202']);
  expect([portText({ container_port: 80 }), hostPortText({ container_port: 80 })]).toEqual(['80', undefined]);
  expect(hostPortText({ container_port: 53, host_port: '${inputs.PORT}' })).toBe('${inputs.PORT}');
});

it('joining does not mix protocols, addresses, or ports that the server numbers differently', () => {
  const ports = [
    { container_port: 1, host_port: 1, protocol: 'tcp' },
    { container_port: 2, host_port: 2, protocol: 'udp' },
    { container_port: 2, host_port: 2, host_ip: '127.0.0.1', protocol: 'tcp' },
    { container_port: 2, host_port: 9, protocol: 'tcp' },
    { container_port: 2, protocol: 'tcp' },
  ];
  expect(joinedPorts(ports)).toHaveLength(5);
});

it('joined ports are the same ports', () => {
  const port = fc.record(
    {
      container_port: fc.integer({ min: 1, max: 30 }),
      host_port: fc.integer({ min: 1, max: 30 }),
      protocol: fc.constantFrom('tcp', 'udp'),
    },
    { requiredKeys: ['container_port', 'protocol'] },
  );
  const key = ({
    container_port,
    host_port,
    protocol,
  }: {
    container_port: number;
    host_port?: number;
    protocol: string;
  }) => `${host_port ?? ''}:${container_port}/${protocol}`;
  fc.assert(
    fc.property(fc.uniqueArray(port, { selector: key }), (ports) => {
      const joined = joinedPorts(ports);
      expect(singlePorts(joined).map(key).sort()).toEqual(ports.map(key).sort());
      expect(joined.reduce((sum, item) => sum + portCount(item), 0)).toBe(ports.length);
    }),
  );
});
