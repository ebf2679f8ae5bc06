/** The words of the taxonomy. A family that is not here still works: it is called by its slug. */
interface Term {
  readonly name: string;
  readonly description: string;
}

export const kingdoms: Readonly<Record<string, Term>> = {
  infrastructure: { name: 'Infrastructure', description: 'What other things run on and are reached through.' },
  data: { name: 'Data', description: 'Where things are kept, cached and queued.' },
  applications: { name: 'Applications', description: 'What people open and use.' },
  assets: { name: 'Assets', description: 'Pages and files that are served as they are.' },
};

export const families: Readonly<Record<string, Term>> = {
  analytics: { name: 'Analytics', description: 'Who comes, what they do, what the numbers say.' },
  blog: { name: 'Blogs', description: 'Writing for readers, post by post.' },
  cache: { name: 'Caches', description: 'Fast memory in front of slow answers.' },
  cms: { name: 'Content management', description: 'Sites that several people fill.' },
  database: { name: 'Databases', description: 'Rows, documents and graphs that must not be lost.' },
  documentation: { name: 'Documentation', description: 'Wikis and manuals.' },
  email: { name: 'Email', description: 'Sending, receiving and testing mail.' },
  feed: { name: 'Feeds', description: 'Reading what others publish.' },
  file_sharing: { name: 'File sharing', description: 'Files across devices and people.' },
  ingress: { name: 'Ingress', description: 'The doors: proxies, certificates, tunnels.' },
  monitoring: { name: 'Monitoring', description: 'Watching what runs and saying when it stops.' },
  networking: { name: 'Networking', description: 'Names, addresses and private networks.' },
  notes: { name: 'Notes', description: 'Thoughts, lists and drawings.' },
  password: { name: 'Passwords and identity', description: 'Vaults, logins and single sign-on.' },
  queue: { name: 'Queues and workers', description: 'Work that is done later, elsewhere or again.' },
  website: { name: 'Websites', description: 'Pages served as they are.' },
  workflow: { name: 'Workflows', description: 'When this happens, do that.' },
};

export const term = (terms: Readonly<Record<string, Term>>, slug: string): Term =>
  terms[slug] ?? { name: spoken(slug), description: '' };

const spoken = (slug: string): string => {
  const words = slug.replaceAll('_', ' ').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
