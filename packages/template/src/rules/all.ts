import { actions } from './actions.ts';
import { backup } from './backup.ts';
import { components, dependencies } from './components.ts';
import { hardCoded } from './hard-coded.ts';
import { identity } from './identity.ts';
import { images } from './images.ts';
import { inputs } from './inputs.ts';
import { permissions } from './permissions.ts';
import { portRanges } from './port-ranges.ts';
import { ports } from './ports.ts';
import { reach } from './reach.ts';
import { references } from './references.ts';
import { routes, smoke } from './routes.ts';
import type { Rule } from './rule.ts';
import { secrets } from './secrets.ts';
import { shell } from './shell.ts';
import { shownSecrets } from './shown-secrets.ts';
import { size } from './size.ts';
import { storage } from './storage.ts';
import { upgrade } from './upgrade.ts';

export const RULES: readonly Rule[] = [
  identity,
  images,
  inputs,
  secrets,
  shownSecrets,
  components,
  dependencies,
  reach,
  ports,
  portRanges,
  shell,
  hardCoded,
  storage,
  routes,
  actions,
  backup,
  upgrade,
  smoke,
  permissions,
  references,
  size,
];
