/** Well-known ports of protocols other than HTTP. */
const OTHER_PROTOCOLS = new Set([
  20, 21, 22, 23, 25, 43, 53, 69, 88, 110, 111, 113, 119, 123, 135, 137, 138, 139, 143, 161, 162, 179, 389, 445, 465,
  500, 514, 515, 548, 554, 563, 587, 636, 853, 873, 989, 990, 993, 995, 1025, 1080, 1194, 1433, 1521, 1701, 1723, 1812,
  1813, 1883, 1935, 2049, 2181, 2222, 2456, 2457, 3128, 3260, 3306, 3389, 3478, 3479, 4190, 4222, 4333, 4369, 4500,
  5044, 5060, 5061, 5222, 5269, 5349, 5353, 5432, 5433, 5671, 5672, 5683, 5900, 5901, 6379, 6432, 6514, 6667, 6697,
  6881, 7687, 7777, 8333, 8554, 8883, 9042, 9092, 9094, 9160, 9300, 9418, 9735, 11211, 19132, 19133, 21115, 21116,
  21117, 22000, 25565, 25575, 26379, 27015, 27016, 27017, 27018, 27019, 30303, 33060, 34197, 50000, 51413, 51820, 61613,
  61616, 64738,
]);

/** Ports on which web servers usually speak TLS. */
const TLS = new Set([443, 4443, 5443, 8443, 9443, 10443]);

/** Images whose ports do not speak HTTP, whatever their number. */
const WITHOUT_HTTP =
  /(^|\/)(postgres|postgis|pgvector|timescaledb|mysql|mariadb|mongo(?:db)?|redis|valkey|keydb|dragonfly|memcached|kafka|zookeeper|nats|etcd|cassandra|mosquitto|minecraft|valheim|factorio|terraria|teamspeak|mumble|murmur|wireguard|openvpn|samba|proftpd|vsftpd|pure-ftpd|sftp|coturn|dnsmasq|unbound|bind9|snmptraps|chrony|ntp|rsync|bitcoin-core|bitcoind|monerod)(?![a-z])[^/]*$/;

/** Tells whether the image is a PHP that speaks FastCGI, by its name and tag. */
const isPhpFpm = (image: string): boolean =>
  image.split('/').some((part) => {
    const [name = '', ...tag] = part.split(':');
    return /\bphp/.test(name) && tag.some((text) => text.includes('fpm'));
  });

export const speaksNoHttp = (image: string): boolean =>
  WITHOUT_HTTP.test(image.replace(/@.*/s, '').replace(/:[^/:]*$/, '')) || isPhpFpm(image);

/** Guesses what a TCP port speaks. */
export function protocolOf(port: number, image: string): 'http' | 'https' | 'other' {
  if (OTHER_PROTOCOLS.has(port) || speaksNoHttp(image)) return 'other';
  return TLS.has(port) ? 'https' : 'http';
}
