import { blogs } from './applications/blogs.ts';
import { content } from './applications/content.ts';
import { issues } from './applications/issues.ts';
import { notebooks } from './applications/notebooks.ts';
import { webmail } from './applications/webmail.ts';
import { wikis } from './applications/wikis.ts';
import { hasOwnEngine, inLongRuns, shareCatalogInstallation } from './catalog-installation.ts';

if (hasOwnEngine) {
  const species = ['wordpress', 'mediawiki', 'roundcube', 'redmine', 'jupyter'];
  const groups = [issues, wikis, blogs, webmail, notebooks];
  // Directus is more than a thousand packages of npm.
  const catalog = shareCatalogInstallation(...species, ...(inLongRuns ? ['directus'] : []));
  if (inLongRuns) groups.push(content);
  for (const declare of groups) declare(catalog);
}
