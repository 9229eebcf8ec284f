import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { type DebianPackage, put } from './debian-package.ts';
import { buildFirmware, buildOverlay, firmwareSources } from './firmware.ts';
import type { PackageContext } from './program-package.ts';
import { databaseOptionsFile, databaseServices, type Role, roleScripts } from './scripts.ts';

const discovery = ['avahi-daemon', 'libnss-mdns'];
const timekeeping = 'systemd-timesyncd | chrony | time-daemon';

const facts = {
  leader: {
    summary: 'control and data service for small bioreactors, leader',
    description: 'The service of the leader: HTTP API, web UI, broker and store of a cluster.',
    depends: [...discovery, timekeeping],
    configurationFiles: ['/etc/lcs/leader.env', databaseOptionsFile],
  },
  unit: {
    summary: 'control and data service for small bioreactors, unit',
    description:
      'The service of a unit: measures and controls one vial, on the board of this computer\nor on a simulated one. It starts once /etc/lcs/unit.env names its leader.',
    // gpiod: edges of the stirrer's sensor, status light; openocd: firmware of the board; setpriv is in util-linux.
    depends: [...discovery, timekeeping, 'gpiod', 'openocd', 'util-linux'],
    configurationFiles: [],
  },
} as const;

const leaderOptions = `# Options of the service lcs-leader (lcs leader --help, man lcs). Changes are in force after: systemctl restart lcs-leader
# It listens on all addresses of this computer, with TLS; the code for the first person is in: journalctl -u lcs-leader
LCS_LEADER_OPTIONS="--host 0.0.0.0 --port 4999"
`;

const databaseOptions = `# Options of the services lcs-control, lcs-api and lcs-ingest, which share one PostgreSQL (docs/postgresql.md). They are disabled, and none of them runs
# beside lcs-leader. Changes are in force after: systemctl restart of the service. Only root and the user lcs may read this file: it may have a password.
# The address without the password: addresses are visible in the list of processes.
# LCS_DATABASE=postgres://lcs@db.example.org/lcs
# PGPASSWORD=
LCS_CONTROL_OPTIONS="--host 0.0.0.0 --port 4999"
LCS_API_OPTIONS="--host 0.0.0.0 --port 4999 --tls-certificate /etc/lcs/api.pem --tls-key /etc/lcs/api.key"
LCS_INGEST_OPTIONS=""
`;

/** Files of the board that the service may use: without these rules they belong to root (Raspberry Pi OS has the same). */
const boardRules = `SUBSYSTEM=="i2c-dev", GROUP="i2c", MODE="0660"
SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660"
SUBSYSTEM=="leds", KERNEL=="lcs:pwm*", ACTION=="add", RUN{builtin}+="kmod load ledtrig-pattern"
SUBSYSTEM=="leds", KERNEL=="lcs:pwm*", RUN+="/bin/chgrp -R gpio /sys%p", RUN+="/bin/chmod -R g=u /sys%p"
SUBSYSTEM=="pwm", RUN+="/bin/chgrp -R gpio /sys%p", RUN+="/bin/chmod -R g=u /sys%p"
`;

/** Memory that the kernel leaves to a service counts only as far as the slice around it has as much (systemd.resource-control(5)). */
const sliceOfServices = `[Slice]
MemoryMin=128M
`;

/** The service of a role, in `root`; a leader's also has those of a database, a unit's also has the firmware of its board and the overlay. @throws BuildFailure */
export function rolePackage({ version }: PackageContext, role: Role, root: string): DebianPackage {
  const name = `lcs-${role}`;
  const services = path.join(root, 'usr/lib/systemd/system');
  mkdirSync(services, { recursive: true });
  for (const each of role === 'leader' ? [name, ...databaseServices] : [name])
    copyFileSync(path.join(import.meta.dirname, 'systemd', `${each}.service`), path.join(services, `${each}.service`));
  put(root, `usr/lib/systemd/system/system.slice.d/${name}.conf`, sliceOfServices);
  if (role === 'leader') {
    put(root, 'etc/lcs/leader.env', leaderOptions);
    put(root, databaseOptionsFile, databaseOptions);
  }
  if (role === 'unit') {
    put(root, 'usr/lib/udev/rules.d/70-lcs-board.rules', boardRules);
    put(root, 'usr/lib/modules-load.d/lcs-unit.conf', 'i2c-dev\n');
    buildOverlay(path.join(root, 'usr/lib/lcs/overlays/lcs-outputs.dtbo'));
    buildFirmware(path.join(root, 'usr/lib/lcs/firmware/lcs-controller.bin'));
    put(root, 'usr/lib/lcs/bin/lcs-load-firmware', readFileSync(path.join(firmwareSources, 'load-firmware.sh')), 0o755);
    copyFileSync(path.join(firmwareSources, 'lcs-firmware.service'), path.join(services, 'lcs-firmware.service'));
    // Once per start of the computer, not with each start of the unit: one that fails takes a minute and a half. No script has to enable it.
    mkdirSync(path.join(services, 'multi-user.target.wants'));
    symlinkSync('../lcs-firmware.service', path.join(services, 'multi-user.target.wants/lcs-firmware.service'));
  }
  const { summary, description, depends, configurationFiles } = facts[role];
  return {
    name,
    version,
    architecture: 'all',
    depends: [`lcs (= ${version})`, ...depends],
    // lcs setup searches the leader with it.
    recommends: ['avahi-utils'],
    summary,
    description,
    configurationFiles,
    scripts: roleScripts(role),
  };
}
