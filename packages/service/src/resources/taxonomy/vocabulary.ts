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
  ai: { name: 'AI', description: 'Models that answer, and what they remember with.' },
  analytics: { name: 'Analytics', description: 'Who comes, what they do, what the numbers say.' },
  automation: { name: 'Automation', description: 'Flows between devices and services, drawn instead of written.' },
  backup: { name: 'Backup', description: 'Copies elsewhere, for the day something is lost.' },
  blog: { name: 'Blogs', description: 'Writing for readers, post by post.' },
  bookmarks: { name: 'Bookmarks', description: 'Links worth keeping, with a copy of what they led to.' },
  cache: { name: 'Caches', description: 'Fast memory in front of slow answers.' },
  chat: { name: 'Chat', description: 'Talking in rooms and threads.' },
  ci: { name: 'Builds', description: 'What happens to code after it was written.' },
  cms: { name: 'Content management', description: 'Sites that several people fill.' },
  dashboards: { name: 'Dashboards', description: 'Everything at a glance, on one page.' },
  database: { name: 'Databases', description: 'Rows, documents and graphs that must not be lost.' },
  development: { name: 'Development', description: 'Tools and backends for those who build software.' },
  dns: { name: 'Names', description: 'Resolvers and filters for the names of machines.' },
  documentation: { name: 'Documentation', description: 'Manuals and knowledge, written together.' },
  documents: { name: 'Documents', description: 'Paper and PDF: scanned, filed, signed.' },
  email: { name: 'Email', description: 'Sending, receiving and testing mail.' },
  erp: { name: 'Business', description: 'Orders, stock, books and customers in one place.' },
  feed: { name: 'Feeds', description: 'Reading what others publish.' },
  file_sharing: { name: 'File sharing', description: 'Files across devices and people.' },
  finance: { name: 'Finance', description: 'Budgets, invoices and what is left.' },
  forms: { name: 'Forms', description: 'Questions for many, and their answers.' },
  forum: { name: 'Forums', description: 'Discussions that can still be found in ten years.' },
  games: { name: 'Games', description: 'Worlds to meet in.' },
  git: { name: 'Source code', description: 'Repositories, reviews and releases.' },
  home: { name: 'Home', description: 'The house, the kitchen and the larder.' },
  identity: { name: 'Identity', description: 'One login for everything.' },
  ingress: { name: 'Ingress', description: 'The doors: proxies, certificates, tunnels.' },
  learning: { name: 'Learning', description: 'Courses and classrooms.' },
  library: { name: 'Library', description: 'Books and articles, kept and read.' },
  logging: { name: 'Logs', description: 'What programs said, found again.' },
  media: { name: 'Media', description: 'Films, music and spoken word of your own.' },
  messaging: { name: 'Notifications', description: 'Messages to phones and desktops.' },
  metrics: { name: 'Metrics', description: 'Numbers over time.' },
  monitoring: { name: 'Monitoring', description: 'Watching what runs and saying when it stops.' },
  networking: { name: 'Networking', description: 'Names, addresses and private networks.' },
  notes: { name: 'Notes', description: 'Thoughts, lists and drawings.' },
  object_storage: { name: 'Object storage', description: 'Buckets that programs fill.' },
  office: { name: 'Office', description: 'Texts and tables, edited together.' },
  password: { name: 'Passwords', description: 'Vaults for what nobody can remember.' },
  photos: { name: 'Photos', description: 'Pictures, sorted by time, place and face.' },
  productivity: { name: 'Productivity', description: 'Appointments, lists and small helpers of every day.' },
  project_management: { name: 'Projects', description: 'Plans, boards and who does what until when.' },
  queue: { name: 'Queues and workers', description: 'Work that is done later, elsewhere or again.' },
  registry: { name: 'Registries', description: 'Images and packages, kept near.' },
  search: { name: 'Search', description: 'Finding things, quickly and with typing errors.' },
  storage: { name: 'Storage', description: 'Buckets and disks that programs fill.' },
  vcs: { name: 'Source code', description: 'Repositories, reviews and releases.' },
  video: { name: 'Video', description: 'Channels and live pictures.' },
  vpn: { name: 'Private networks', description: 'Tunnels between machines that trust each other.' },
  website: { name: 'Websites', description: 'Pages served as they are.' },
  workflow: { name: 'Workflows', description: 'When this happens, do that.' },
};

export const term = (terms: Readonly<Record<string, Term>>, slug: string): Term =>
  (Object.hasOwn(terms, slug) ? terms[slug] : undefined) ?? { name: spoken(slug), description: '' };

const spoken = (slug: string): string => {
  const words = slug.replaceAll('_', ' ').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
