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
};
