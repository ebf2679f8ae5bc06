#!/bin/sh
# A mail server of one domain with one mailbox: Exim takes messages, Dovecot shows them. Makes its certificate at a first start.
set -eu
for user in dovecot:102 dovenull:103; do
  printf '%s:x:%s:%s::/:/bin/false\n' "${user%:*}" "${user#*:}" "${user#*:}" >> /etc/passwd
  printf '%s:x:%s:\n' "${user%:*}" "${user#*:}" >> /etc/group
done
mail=/var/mail/gardener
mkdir -p "$mail" /var/mail/.tls /run/dovecot
if [ ! -e /var/mail/.tls/cert.pem ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=mail.example.org" \
    -addext "subjectAltName=DNS:mail.example.org" -keyout /var/mail/.tls/key.pem -out /var/mail/.tls/cert.pem 2> /dev/null
fi
chown -R Debian-exim:Debian-exim "$mail" /var/mail/.tls /var/spool/exim4 /var/log/exim4
printf 'gardener@example.org:{PLAIN}%s\n' "$MAIL_PASSWORD" > /etc/dovecot/users
# It stays in the foreground anyway, because the parent has the number 1.
exim4 -bdf &
exec dovecot -F
