// npm run release:key -- <file>: makes the key pair that signs releases of the daemon.
import { makeReleaseKey } from './release-key.ts';

const [file, ...more] = process.argv.slice(2);
if (file === undefined || more.length > 0) {
  console.error(
    'Name one file outside of the repository for the private key: npm run release:key -- ~/hortus-release.pem',
  );
  process.exit(2);
}
try {
  const publicKey = makeReleaseKey(file);
  console.log(`Wrote the private key to ${file} (0600). Keep it offline; it decides what daemons run.`);
  console.log(`Public key: ${publicKey}`);
  console.log(`Build and sign the daemon with it: npm run build:daemon -- --sign ${file}`);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
