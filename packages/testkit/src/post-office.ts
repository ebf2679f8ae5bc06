import { type DebianImage, makeDebianImage } from './debian-image.ts';

const exim = `primary_hostname = mail.example.org
keep_environment = MAIL_PASSWORD
domainlist local_domains = example.org
daemon_smtp_ports = 25 : 587
tls_advertise_hosts = *
tls_certificate = /var/mail/.tls/cert.pem
tls_privatekey = /var/mail/.tls/key.pem
host_lookup =
rfc1413_query_timeout = 0s
acl_smtp_rcpt = recipients

begin acl
recipients:
  accept authenticated = *
  accept domains = +local_domains
  deny message = relaying is not permitted

begin routers
mailboxes:
  driver = accept
  domains = +local_domains
  local_parts = dsearch;/var/mail
  transport = mailbox

begin transports
mailbox:
  driver = appendfile
  directory = /var/mail/$local_part_data
  maildir_format
  user = Debian-exim
  group = Debian-exim

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_set_id = $auth2
  server_advertise_condition = \${if def:tls_in_cipher}
  server_condition = \${if and {{eq {$auth2}{gardener@example.org}}{eq {$auth3}{\${env{MAIL_PASSWORD}}}}}}
`;

const dovecot = `protocols = imap
ssl = required
ssl_cert = </var/mail/.tls/cert.pem
ssl_key = </var/mail/.tls/key.pem
mail_location = maildir:/var/mail/%n
first_valid_uid = 100
log_path = /dev/stderr
passdb {
  driver = passwd-file
  args = /etc/dovecot/users
}
userdb {
  driver = static
  args = uid=Debian-exim gid=Debian-exim home=/var/mail/%n
}
service imap-login {
  inet_listener imap {
    port = 0
  }
  chroot =
}
`;

/** Debian's Exim and Dovecot as mail.example.org, with the mailbox gardener@example.org, whose password is MAIL_PASSWORD. */
const postOffice: DebianImage = {
  packages: [],
  bases: { debian: [] },
  app: { closure: ['exim4-daemon-light', 'dovecot-imapd', 'openssl'] },
  user: ['Debian-exim', 101],
  folders: ['/var/mail', '/var/spool/exim4', '/var/log/exim4'],
  files: { '/etc/exim4/exim4.conf': exim, '/etc/dovecot/dovecot.conf': dovecot },
  entrypoint: 'post-office.sh',
  changes: ['VOLUME /var/mail', 'EXPOSE 25 587 993'],
};

/** Builds the image of a mail server under a name. */
export const makePostOffice = (socketPath: string, ref: string): Promise<void> =>
  makeDebianImage(socketPath, [ref], postOffice, 'debian');
