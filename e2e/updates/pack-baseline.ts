// Packs a bundle of this checkout's service for the test of two adjacent versions; run from the commit that is to be the former version:
// node scripts/on-project-node.mjs e2e/updates/pack-baseline.ts e2e/updates/baseline-<n>.tar.br
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { bundleService } from '../../scripts/release/service-bundle.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the file to write.');
await using folder = temporaryFolder('baseline');
await bundleService(folder.path);
const reproducible = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
const archive = execFileSync('tar', ['-c', ...reproducible, '-C', folder.path, '.'], { maxBuffer: 2 ** 30 });
const params = {
  [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  [constants.BROTLI_PARAM_SIZE_HINT]: archive.length,
};
writeFileSync(file, brotliCompressSync(archive, { params }));
