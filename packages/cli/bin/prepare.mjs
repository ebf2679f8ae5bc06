// Runs after npm install, so that also the first call of hortus starts from a bundle. Never fails the install.
import { buildBundle, freshBundle } from './cached-bundle.mjs';

if (!freshBundle()) buildBundle();
