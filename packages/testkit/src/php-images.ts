import type { DebianImage } from './debian-image.ts';

/** Logs to the container and lets applications set rules in their folders. */
const site = `<VirtualHost *:80>
  DocumentRoot /var/www/html
  ErrorLog /dev/stderr
  CustomLog /dev/stdout combined
</VirtualHost>
<Directory /var/www/>
  AllowOverride All
</Directory>
`;

const roundcubeFolder = `<Directory /var/lib/roundcube/public_html>
  Options +FollowSymLinks
  AllowOverride None
  Require all granted
</Directory>
`;

const extensions = ['mysql', 'pgsql', 'gd', 'intl', 'mbstring', 'xml', 'zip', 'curl', 'redis', 'sqlite3'];

/** Apache with PHP, as most applications of PHP are published; settings of PHP are read from the published folder too. */
const phpApache = {
  packages: [],
  bases: { debian: [] },
  user: ['www-data', 33],
  folders: ['/var/www', '/var/www/html', '/var/lib/php/sessions'],
  sharedFolders: ['/run/lock'],
  scripts: { '/usr/local/bin/apache2-foreground': 'apache2-foreground.sh' },
  links: { '/usr/local/bin/php': '/usr/bin/php' },
  changes: [
    'ENV PHP_INI_DIR=/usr/local/etc/php PHP_INI_SCAN_DIR=:/usr/local/etc/php/conf.d',
    'WORKDIR /var/www/html',
    'VOLUME /var/www/html',
    'CMD ["apache2-foreground"]',
  ],
} as const satisfies DebianImage;

const phpFiles = {
  closure: ['apache2', 'libapache2-mod-php', 'php-cli', 'curl', ...extensions.map((name) => `php-${name}`)],
  also: ['/etc/apache2/mods-enabled/*', '/etc/php/*/*/**', '/etc/ssl/certs/ca-certificates.crt'],
};

/** Reads the variables of the published image; a variable of the same name with _FILE names a file. */
const wordpressConfig = `<?php
$read = function (string $name, string $default) {
    $file = getenv("WORDPRESS_{$name}_FILE");
    if ($file) return rtrim(file_get_contents($file), "\\r\\n");
    $value = getenv("WORDPRESS_$name");
    return $value === false ? $default : $value;
};
foreach (['DB_NAME' => 'wordpress', 'DB_USER' => '', 'DB_PASSWORD' => '', 'DB_HOST' => 'mysql', 'DB_CHARSET' => 'utf8',
    'DB_COLLATE' => '', 'AUTH_KEY' => '', 'SECURE_AUTH_KEY' => '', 'LOGGED_IN_KEY' => '', 'NONCE_KEY' => '',
    'AUTH_SALT' => '', 'SECURE_AUTH_SALT' => '', 'LOGGED_IN_SALT' => '', 'NONCE_SALT' => ''] as $name => $default)
    define($name, $read($name, $default));
$table_prefix = $read('TABLE_PREFIX', 'wp_');
define('WP_DEBUG', (bool) $read('DEBUG', ''));
if (str_contains($_SERVER['HTTP_X_FORWARDED_PROTO'] ?? '', 'https')) $_SERVER['HTTPS'] = 'on';
eval($read('CONFIG_EXTRA', ''));
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`;

/** Reads the variables of the published image, then the files of its folder for settings. */
const phpmyadminConfig = `<?php
require '/etc/phpmyadmin/config.secret.inc.php';
$cfg['Servers'][1] = ['auth_type' => 'cookie', 'host' => getenv('PMA_HOST') ?: 'db', 'port' => getenv('PMA_PORT') ?: '',
    'compress' => false, 'AllowNoPassword' => true];
$cfg['AllowArbitraryServer'] = (bool) getenv('PMA_ARBITRARY');
if (getenv('PMA_ABSOLUTE_URI')) $cfg['PmaAbsoluteUri'] = trim(getenv('PMA_ABSOLUTE_URI'));
if (getenv('MEMORY_LIMIT')) $cfg['MemoryLimit'] = getenv('MEMORY_LIMIT');
if (getenv('MAX_EXECUTION_TIME')) $cfg['ExecTimeLimit'] = (int) getenv('MAX_EXECUTION_TIME');
foreach (glob('/etc/phpmyadmin/conf.d/*.php') as $file) include $file;
`;

/** Reads the variables of the published image, then the files of its folder for settings. */
const roundcubeConfig = `<?php
$read = fn (string $name, string $default = '') => getenv("ROUNDCUBEMAIL_$name") ?: $default;
$config = [
    'db_dsnw' => $read('DSNW', 'sqlite:////var/roundcube/db/sqlite.db?mode=0646'),
    'imap_host' => $read('DEFAULT_HOST', 'localhost') . ':' . $read('DEFAULT_PORT', '143'),
    'smtp_host' => $read('SMTP_SERVER', 'localhost') . ':' . $read('SMTP_PORT', '587'),
    'username_domain' => $read('USERNAME_DOMAIN'),
    'des_key' => $read('DES_KEY'),
    'plugins' => array_filter(explode(',', $read('PLUGINS'))),
    'skin' => $read('SKIN', 'elastic'),
    'temp_dir' => '/tmp',
    'log_driver' => 'stdout',
];
foreach (glob('/var/roundcube/config/*.php') as $file) include $file;
`;

/** Debian's MediaWiki is older than this way to run its scripts and to make the tables of settings that are there already. */
const mediawikiRun = `<?php
$script = $argv[1] ?? '';
$run = fn (array $args) => pcntl_exec(PHP_BINARY, $args);
if ($script !== 'installPreConfigured') $run([__DIR__ . "/$script.php", ...array_slice($argv, 2)]);
foreach ([['sql', __DIR__ . '/tables.sql'], ['sql', __DIR__ . '/tables-generated.sql'], ['initSiteStats', '--update']] as [$name, $arg]) {
    $child = pcntl_fork();
    if ($child === 0) $run([__DIR__ . "/$name.php", $arg]);
    pcntl_waitpid($child, $status);
    if ($status !== 0) exit(1);
}
`;

/** Libraries that Debian's phpMyAdmin needs, without the client of a database. */
const phpmyadminLibraries = [
  ...['composer-ca-bundle', 'google-recaptcha', 'nikic-fast-route', 'phpmyadmin-motranslator', 'phpmyadmin-shapefile'],
  ...[
    'phpmyadmin-sql-parser',
    'twig-i18n-extension',
    'psr-http-factory',
    'psr-http-message',
    'slim-psr7',
    'symfony-config',
  ],
  ...['symfony-dependency-injection', 'symfony-expression-language', 'symfony-polyfill-php80', 'twig'],
  ...['webmozart-assert', 'mariadb-mysql-kbs'],
];

/** Substitutes for images of applications in PHP, by repository; versions are Debian's. */
export const phpImages: Readonly<Record<string, DebianImage>> = {
  'docker.io/library/wordpress': {
    ...phpApache,
    app: {
      ...phpFiles,
      alone: ['wordpress', 'wordpress-theme-twentytwentythree', 'php-getid3', 'libjs-cropper', 'libjs-underscore'],
    },
    files: {
      '/etc/apache2/sites-enabled/000-default.conf': site,
      '/usr/src/wordpress/wp-config-docker.php': wordpressConfig,
    },
    entrypoint: 'wordpress.sh',
  },
  'docker.io/phpmyadmin/phpmyadmin': {
    ...phpApache,
    app: {
      ...phpFiles,
      closure: [...phpFiles.closure, ...phpmyadminLibraries.map((name) => `php-${name}`)],
      alone: ['phpmyadmin'],
      moved: ['/usr/share/phpmyadmin', '/var/www/html'],
    },
    folders: [...phpApache.folders, '/var/lib/phpmyadmin', '/var/lib/phpmyadmin/tmp'],
    links: { ...phpApache.links, '/usr/share/phpmyadmin': '/var/www/html' },
    files: {
      '/etc/apache2/sites-enabled/000-default.conf': site,
      '/etc/phpmyadmin/config.inc.php': phpmyadminConfig,
    },
    entrypoint: 'phpmyadmin.sh',
    changes: phpApache.changes.filter((change) => !change.startsWith('VOLUME')),
  },
  'docker.io/roundcube/roundcubemail': {
    ...phpApache,
    app: {
      ...phpFiles,
      closure: [...phpFiles.closure, 'roundcube-core', 'roundcube-plugins', 'openssl'],
    },
    folders: [...phpApache.folders, '/var/roundcube', '/var/roundcube/db', '/var/roundcube/config'],
    links: { ...phpApache.links, '/var/www/html/bin': '/usr/share/roundcube/bin' },
    files: {
      '/etc/apache2/sites-enabled/000-default.conf': site.replace('/var/www/html', '/var/lib/roundcube/public_html'),
      '/etc/apache2/conf-enabled/roundcube.conf': roundcubeFolder,
      '/etc/roundcube/config.inc.php': roundcubeConfig,
    },
    entrypoint: 'roundcube.sh',
    changes: phpApache.changes.filter((change) => !change.startsWith('VOLUME')),
  },
  'docker.io/library/mediawiki': {
    ...phpApache,
    app: {
      ...phpFiles,
      alone: ['mediawiki', 'mediawiki-classes'],
      moved: ['/usr/share/mediawiki', '/var/www/html'],
    },
    folders: [...phpApache.folders, '/var/www/html/images', '/var/www/html/cache', '/var/www/data'],
    links: {
      ...phpApache.links,
      '/usr/share/mediawiki': '/var/www/html',
      '/var/www/html/extensions': 'extensions-core',
    },
    files: {
      '/etc/apache2/sites-enabled/000-default.conf': `Alias /wiki /var/www/html/index.php\n${site}`,
      '/var/www/html/maintenance/run.php': mediawikiRun,
    },
    changes: phpApache.changes.filter((change) => !change.startsWith('VOLUME')),
  },
};
