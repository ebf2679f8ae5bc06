import { blogs } from './applications/blogs.ts';
import { issues } from './applications/issues.ts';
import { notebooks } from './applications/notebooks.ts';
import { webmail } from './applications/webmail.ts';
import { wikis } from './applications/wikis.ts';
import { hasOwnEngine, shareCatalogInstallation } from './catalog-installation.ts';

if (hasOwnEngine) {
  const catalog = shareCatalogInstallation('wordpress', 'mediawiki', 'roundcube', 'redmine', 'jupyter');
  const groups = [issues, wikis, blogs, webmail, notebooks];
  for (const declare of groups) declare(catalog);
}
