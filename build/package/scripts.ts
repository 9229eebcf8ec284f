import { boardPurge } from '@lcs/cluster';

/** What a machine serves as. */
export type Role = 'leader' | 'unit';

/** The leader's folder is the default of `lcs`: its commands on that machine need no option. */
const data = { leader: '/var/lib/lcs', unit: '/var/lib/lcs-unit' } as const;

/** Services of the leader's package that share a PostgreSQL; disabled until somebody enables them. Their options are in one file. */
export const databaseServices = ['lcs-control', 'lcs-api', 'lcs-ingest'] as const;
export const databaseOptionsFile = '/etc/lcs/database.env';

/** Files that `lcs setup` has written for a role. */
const setUp = {
  leader: '/etc/avahi/services/lcs.service',
  unit: '/etc/modules-load.d/lcs-i2c.conf /etc/systemd/system.conf.d/lcs-watchdog.conf',
} as const;

/** Names of the groups that the package has made, one a line: others belong to somebody else. */
const madeGroups = '/var/lib/misc/lcs-unit.groups';

/** Files that it has written for the network, whatever the role: the last role that is purged removes them. The first has a passphrase. */
const accessPoint = '/etc/NetworkManager/system-connections/lcs-access-point.nmconnection';
const accessPointMarker = '/boot/firmware/local_access_point';
const wifiPower = '/etc/NetworkManager/conf.d/lcs-wifi-power.conf';

/** Maintainer scripts (Debian Policy, chapter 6). The user of the services exists from the program's package on. */
export const programScripts: Readonly<Record<string, string>> = {
  postinst: `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  # Where the options of the services are.
  install -d -m 0755 /etc/lcs
  adduser --quiet --system --group --home /nonexistent --no-create-home lcs
fi
`,
  postrm: `#!/bin/sh
set -e
if [ "$1" = purge ]; then
  if [ -d /etc/lcs ]; then rmdir --ignore-fail-on-non-empty /etc/lcs; fi
  # Data of a service that was removed, and not purged, still belong to the user.
  if [ ! -e ${data.leader} ] && [ ! -e ${data.unit} ]; then
    if getent passwd lcs >/dev/null; then userdel lcs; fi
    if getent group lcs >/dev/null; then groupdel lcs; fi
  fi
fi
`,
};

const running = '[ -d /run/systemd/system ]';

/** What is on the machine because of the board: lines and the overlay on the boot partition, groups, the hardware watchdog. */
const unitPurge = `  ${boardPurge().trimEnd().replaceAll('\n', '\n  ')}
  if [ -e ${madeGroups} ]; then
    while read -r group; do
      # One that has members is in use.
      case $(getent group "$group") in *:) groupdel "$group" || true ;; esac
    done < ${madeGroups}
    rm -f ${madeGroups}
  fi
  if [ -d /etc/systemd/system.conf.d ]; then rmdir --ignore-fail-on-non-empty /etc/systemd/system.conf.d; fi
  if ${running}; then systemctl --system daemon-reload >/dev/null || true; fi
`;

const forDatabaseServices = (lines: string): string =>
  `for service in ${databaseServices.map((name) => `${name}.service`).join(' ')}; do
${lines}done
`;

/** What the leader's package does for the services of a database: one that runs is restarted by an upgrade. */
const databaseSteps = {
  configure: `  # It has a password.
  if [ -e ${databaseOptionsFile} ]; then
    chgrp lcs ${databaseOptionsFile}
    chmod 0640 ${databaseOptionsFile}
  fi
  rm -rf ${databaseServices.map((name) => `/var/cache/${name}`).join(' ')}
${forDatabaseServices(`  deb-systemd-helper unmask $service >/dev/null || true
  if deb-systemd-helper debian-installed $service && deb-systemd-helper --quiet was-enabled $service; then
    deb-systemd-helper enable $service >/dev/null || true
  fi
  deb-systemd-helper update-state $service >/dev/null || true
`)}`,
  restart: forDatabaseServices(
    '  if systemctl --quiet is-active $service; then deb-systemd-invoke restart $service >/dev/null || true; fi\n',
  ),
  stop: forDatabaseServices('  deb-systemd-invoke stop $service || true\n'),
  remove: forDatabaseServices('  deb-systemd-helper mask $service >/dev/null || true\n'),
  purge: `${forDatabaseServices(`  deb-systemd-helper purge $service >/dev/null || true
  deb-systemd-helper unmask $service >/dev/null || true
`)}rm -rf ${databaseServices.map((name) => `/var/cache/${name}`).join(' ')}
rm -f ${databaseOptionsFile}
`,
} as const;

/**
 * A service is enabled at its first installation and started; an upgrade restarts it when the new files are there, so that a unit is
 * away for seconds. Its data stay until it is purged.
 */
export function roleScripts(role: Role): Readonly<Record<string, string>> {
  const service = `lcs-${role}.service`;
  const groups =
    role === 'unit'
      ? `  for group in gpio i2c; do
    if ! getent group $group >/dev/null; then groupadd --system $group; echo $group >> ${madeGroups}; fi
  done
`
      : '';
  const more = (step: keyof typeof databaseSteps): string => (role === 'leader' ? databaseSteps[step] : '');
  // At the first installation; where it has run since the start of the computer, nothing happens. deb-systemd-invoke starts no static service.
  const firmware = role === 'unit' ? '    systemctl --system start lcs-firmware.service >/dev/null || true\n' : '';
  return {
    postinst: `#!/bin/sh
set -e
if [ "$1" = configure ] || [ "$1" = abort-remove ]; then
${groups}  # Compiled code of the version before.
  rm -rf /var/cache/lcs-${role}
  deb-systemd-helper unmask ${service} >/dev/null || true
  if deb-systemd-helper --quiet was-enabled ${service}; then deb-systemd-helper enable ${service} >/dev/null || true; fi
  deb-systemd-helper update-state ${service} >/dev/null || true
${more('configure')}  if ${running}; then
    systemctl --system daemon-reload >/dev/null || true
${firmware}    if [ -n "$2" ]; then action=restart; else action=start; fi
    deb-systemd-invoke $action ${service} >/dev/null || true
${more('restart')}  fi
fi
`,
    prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && ${running}; then
  deb-systemd-invoke stop ${service} || true
${more('stop')}fi
`,
    postrm: `#!/bin/sh
set -e
if [ "$1" = remove ]; then
  if ${running}; then systemctl --system daemon-reload >/dev/null || true; fi
  deb-systemd-helper mask ${service} >/dev/null || true
${more('remove')}fi
if [ "$1" = purge ]; then
  deb-systemd-helper purge ${service} >/dev/null || true
  deb-systemd-helper unmask ${service} >/dev/null || true
  # What is mounted there belongs to other machines, too.
  if ! mountpoint -q ${data[role]}; then rm -rf ${data[role]}; fi
  rm -rf /var/cache/lcs-${role}
  rm -f /etc/lcs/${role}.env ${setUp[role]}
${more('purge')}${role === 'unit' ? unitPurge : ''}  if [ ! -e /etc/lcs/${role === 'unit' ? 'leader' : 'unit'}.env ]; then
    # The marker may belong to the image of the card.
    if [ -e ${accessPoint} ]; then rm -f ${accessPoint} ${accessPointMarker}; fi
    rm -f ${wifiPower}
  fi
  if [ -d /etc/lcs ]; then rmdir --ignore-fail-on-non-empty /etc/lcs; fi
fi
`,
  };
}
