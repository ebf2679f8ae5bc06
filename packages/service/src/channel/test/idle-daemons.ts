import { DaemonSocket } from '../../testing/daemon-socket.ts';

/** Run as a process of its own: connects so many daemons that answer pings and otherwise do nothing. */
const [url = '', count = '0'] = process.argv.slice(2);
for (let i = 0; i < Number(count); i++) {
  const daemon = new DaemonSocket(url, { auth: { api_key: `srv_${i}` } });
  daemon.messages.push = () => 0;
  await daemon.opened();
}
process.send?.('connected');
