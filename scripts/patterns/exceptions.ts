interface BuiltPattern {
  readonly file: string;
  readonly text: string;
  /** Why it is linear. */
  readonly why: string;
}

const ID = 'a fixed prefix and 26 characters';
const NAME = 'a pattern of the contract, which is examined where it is declared';

/** Regular expressions that are built from values. */
export const builtPatterns: readonly BuiltPattern[] = [
  { file: 'packages/mcp/src/lookup.ts', text: 'new RegExp(idPattern(kind))', why: ID },
  { file: 'packages/cli/src/lookup/by-name.ts', text: 'new RegExp(idPattern(kind))', why: ID },
  {
    file: 'packages/service/src/resources/actions/scheduled.ts',
    text: "new RegExp(idPattern('execution'))",
    why: ID,
  },
  {
    file: 'packages/service/src/resources/deployments/returns.ts',
    text: "new RegExp(idPattern('deployment'))",
    why: ID,
  },
  { file: 'packages/service/src/resources/shells/service.ts', text: "new RegExp(idPattern('shell'))", why: ID },
  { file: 'packages/service/src/resources/gardens/export.ts', text: 'new RegExp(GARDEN_NAME)', why: NAME },
  { file: 'packages/service/src/resources/gardens/following/service.ts', text: 'new RegExp(GARDEN_NAME)', why: NAME },
  { file: 'packages/daemon/src/plan/names.ts', text: 'new RegExp(namePattern)', why: NAME },
  { file: 'packages/daemon/src/policy/policy.ts', text: 'new RegExp(namePattern)', why: NAME },
  {
    file: 'packages/daemon/src/metrics/capacity.ts',
    text: "new RegExp(`^${name}:\\\\s+(\\\\d+) kB`, 'm')",
    why: 'each search begins with a fixed name at the start of a line',
  },
  {
    file: 'packages/template/src/rules/ports.ts',
    text: 'new RegExp(`(?<![\\\\d.])${port}(?![\\\\d.])`)',
    why: 'a number without repetitions',
  },
  {
    file: 'packages/template/src/schema/schema-check.ts',
    text: "new RegExp(pattern, 'u')",
    why: 'patterns of the contract; those of users are RE2 expressions',
  },
  {
    file: 'packages/template/src/compose/import/commands.ts',
    text: "new RegExp(HOLE, 'g')",
    why: 'HOLE is examined where it is declared',
  },
  {
    file: 'packages/template/src/compose/import/known-passwords.ts',
    text: "new RegExp(`${inAddress}|${declared}${free}`, 'g')",
    why: 'a literal word between fixed texts, without repetitions',
  },
  {
    file: 'packages/template/src/compose/import/texts.ts',
    text: "new RegExp(`[}]|\\\\|\\\\s*(${FILTERS.join('|')})\\\\s*[|}]?|\\\\s$|\\\\$\\\\{`)",
    why: 'blanks after a bar are read once for each bar',
  },
  {
    file: 'packages/template/src/compose/import/third-parties.ts',
    text: "new RegExp(`(^|[_.-])(${VENDORS.join('|')})[_.-]`, 'i')",
    why: 'fixed words without repetitions',
  },
  {
    file: 'packages/template/src/compose/import/third-parties.ts',
    text: "new RegExp(ELSEWHERE_FORMS.join('|'), 'i')",
    why: 'reads at most 256 characters of a name',
  },
  {
    file: 'packages/web/src/pages/instance/logs/marked-words.ts',
    text: "new RegExp(`(${words.map(escaped).join('|')})`, 'gi')",
    why: 'literal words without repetitions',
  },
  {
    file: 'packages/web/src/pages/templates/editor/suggestions.ts',
    text: "new RegExp(form, 'u')",
    why: 'names of fields in the schema of the template format',
  },
];

/** Patterns that are linear only because of their look-around, which the examination leaves out, or of where they are used. */
export const provenPatterns: readonly { readonly source: string; readonly why: string }[] = [
  {
    source: String.raw`(?<!\d)(\d+)([smh])`,
    why: 'The look-behind lets a search begin only at the start of a run.',
  },
  {
    source: String.raw`(?<!\d)\d+(\.\d+)+`,
    why: 'The look-behind lets a search begin only at the start of a run.',
  },
  {
    source: String.raw`(?<![\w./:@-])(?:[\w.-]+(?::\d+)?\/)*[\w.-]+:[\w][\w.-]*`,
    why: 'The look-behind lets a search begin only at the start of a run. It reads the catalog only.',
  },
  {
    source: String.raw`(?<![A-Za-z\d:-])([A-Za-z][A-Za-z\d:-]*)="([^"]*)"`,
    why: 'The look-behind lets a search begin only at the start of a run. A value ends at the quote that would begin the next one.',
  },
  {
    source: String.raw`(?<!\d)(\d+)(ms|s|m|h|d)`,
    why: 'The look-behind lets a search begin only at the start of a run.',
  },
  {
    source: String.raw`(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10}`,
    why: 'The look-behind lets a search begin only at the start of a run.',
  },
  {
    source: String.raw`(?<!\d)(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d|w)`,
    why: 'The look-behind lets a search begin only at the start of a run.',
  },
  {
    source: String.raw`(^|\/)(postgres|postgis|pgvector|timescaledb|mysql|mariadb|mongo(?:db)?|redis|valkey|keydb|dragonfly|memcached|kafka|zookeeper|nats|etcd|cassandra|mosquitto|minecraft|valheim|factorio|terraria|teamspeak|mumble|murmur|wireguard|openvpn|samba|proftpd|vsftpd|pure-ftpd|sftp|coturn|dnsmasq|unbound|bind9|snmptraps|chrony|ntp|rsync|bitcoin-core|bitcoind|monerod)(?![a-z])[^/]*$`,
    why: 'Every search begins after a slash and ends at the next one.',
  },
  {
    source: String.raw`--(?:http[-_]?)?(?:port|listen(?:[-_]addr(?:ess)?)?|bind|addr(?:ess)?)[= ]"?(?:[\w.*-]{0,64}:)?(\d{2,5})\b|(?:^| )-p[= ]?(\d{2,5})\b`,
    why: 'Every count is at most 64. The examination takes too long.',
  },
  {
    source: '^(HORTUSD_(?:KEY|S3_SECRET_ACCESS_KEY|S3_SESSION_TOKEN)=).*$',
    why: 'Every search begins with a fixed name and ends with the line. The examination takes too long.',
  },
  {
    source: String.raw`\[\s*(trace|debug|info|notice|warn|warning|error|err|crit|critical|fatal|alert|emerg|panic)\s*\]|\b(debug|info|warning|warn|error|fatal|panic):`,
    why: 'Blanks follow a bracket and are read once for it. The examination takes too long.',
  },
];
