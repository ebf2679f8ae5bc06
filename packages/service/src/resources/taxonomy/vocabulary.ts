/** Names and descriptions of the taxonomy. A family without an entry is called by its slug. */
interface Term {
  readonly name: string;
  readonly description: string;
}

export const kingdoms: Readonly<Record<string, Term>> = {
  infrastructure: {
    name: 'Infrastructure',
    description: 'Services that other applications run on or are reached through.',
  },
  data: { name: 'Data', description: 'Databases, caches, queues and storage.' },
  applications: { name: 'Applications', description: 'Applications that people use directly.' },
  assets: { name: 'Assets', description: 'Static pages and files.' },
};

export const families: Readonly<Record<string, Term>> = {
  ai: { name: 'AI', description: 'Language models, assistants and vector databases.' },
  analytics: { name: 'Analytics', description: 'Web and product analytics.' },
  automation: { name: 'Automation', description: 'Visual automation between devices and services.' },
  backup: { name: 'Backup', description: 'Backups to other disks and locations.' },
  blog: { name: 'Blogs', description: 'Publishing posts for readers.' },
  bookmarks: { name: 'Bookmarks', description: 'Saved links with archived copies.' },
  cache: { name: 'Caches', description: 'In-memory caches for slower systems.' },
  chat: { name: 'Chat', description: 'Team chat with rooms and threads.' },
  ci: { name: 'Builds', description: 'Continuous integration and delivery.' },
  cms: { name: 'Content management', description: 'Websites with several editors.' },
  dashboards: { name: 'Dashboards', description: 'Start pages and overviews.' },
  database: { name: 'Databases', description: 'Relational, document and graph databases.' },
  development: { name: 'Development', description: 'Tools and backends for software developers.' },
  dns: { name: 'Names', description: 'DNS resolvers and filters.' },
  documentation: { name: 'Documentation', description: 'Wikis, manuals and knowledge bases.' },
  documents: { name: 'Documents', description: 'Scanning, archiving and signing documents.' },
  email: { name: 'Email', description: 'Sending, receiving and testing mail.' },
  erp: { name: 'Business', description: 'Orders, stock, books and customers in one place.' },
  feed: { name: 'Feeds', description: 'RSS and Atom readers.' },
  file_sharing: { name: 'File sharing', description: 'Sharing files across devices and people.' },
  finance: { name: 'Finance', description: 'Budgets, invoices and accounting.' },
  forms: { name: 'Forms', description: 'Forms, polls and surveys.' },
  forum: { name: 'Forums', description: 'Public discussions with a searchable archive.' },
  games: { name: 'Games', description: 'Game servers.' },
  git: { name: 'Source code', description: 'Repositories, reviews and releases.' },
  home: { name: 'Home', description: 'Home automation, recipes and household.' },
  identity: { name: 'Identity', description: 'One login for everything.' },
  ingress: { name: 'Ingress', description: 'Reverse proxies, certificates and tunnels.' },
  learning: { name: 'Learning', description: 'Courses and classrooms.' },
  library: { name: 'Library', description: 'Books and articles, kept and read.' },
  logging: { name: 'Logs', description: 'Collecting and searching logs.' },
  media: { name: 'Media', description: 'Streaming your own films, music and audiobooks.' },
  messaging: { name: 'Notifications', description: 'Messages to phones and desktops.' },
  metrics: { name: 'Metrics', description: 'Time series of measurements.' },
  monitoring: { name: 'Monitoring', description: 'Uptime checks and alerts.' },
  networking: { name: 'Networking', description: 'Names, addresses and private networks.' },
  notes: { name: 'Notes', description: 'Notes, lists and drawings.' },
  object_storage: { name: 'Object storage', description: 'Buckets for applications.' },
  office: { name: 'Office', description: 'Collaborative documents and spreadsheets.' },
  password: { name: 'Passwords', description: 'Password managers.' },
  photos: { name: 'Photos', description: 'Photo libraries with search by time, place and face.' },
  productivity: { name: 'Productivity', description: 'Calendars, to-do lists and everyday tools.' },
  project_management: { name: 'Projects', description: 'Plans, boards and task tracking.' },
  queue: { name: 'Queues and workers', description: 'Message queues and background jobs.' },
  registry: { name: 'Registries', description: 'Registries for images and packages.' },
  search: { name: 'Search', description: 'Fast, typo-tolerant search.' },
  storage: { name: 'Storage', description: 'Buckets and disks for applications.' },
  vcs: { name: 'Source code', description: 'Repositories, reviews and releases.' },
  video: { name: 'Video', description: 'Video platforms, streaming and conferences.' },
  vpn: { name: 'Private networks', description: 'Tunnels between machines that trust each other.' },
  website: { name: 'Websites', description: 'Static websites.' },
  workflow: { name: 'Workflows', description: 'Workflows triggered by events.' },
};

export const term = (terms: Readonly<Record<string, Term>>, slug: string): Term =>
  (Object.hasOwn(terms, slug) ? terms[slug] : undefined) ?? { name: spoken(slug), description: '' };

const spoken = (slug: string): string => {
  const words = slug.replaceAll('_', ' ').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
