/** Files that `lcs setup` writes as a whole. The packages remove them when they are purged (`build/package/scripts.ts`). */
export const ownPaths = {
  leaderOptions: '/etc/lcs/leader.env',
  unitOptions: '/etc/lcs/unit.env',
  i2cModule: '/etc/modules-load.d/lcs-i2c.conf',
  watchdog: '/etc/systemd/system.conf.d/lcs-watchdog.conf',
  wifiPower: '/etc/NetworkManager/conf.d/lcs-wifi-power.conf',
  accessPoint: '/etc/NetworkManager/system-connections/lcs-access-point.nmconnection',
  /** Written by Raspberry Pi images for access points; the leader's API reads it. */
  accessPointMarker: '/boot/firmware/local_access_point',
} as const;

/** The BCM2835's watchdog waits 15 s at most (driver `bcm2835_wdt`). */
const watchdogS = 15;

/** A computer that hangs is restarted, so that its outputs go off (systemd-system.conf(5)). */
export const watchdogText = `# Written by lcs setup: a computer that hangs restarts, and its outputs go off.
[Manager]
RuntimeWatchdogSec=${watchdogS}
`;

export const i2cModuleText = 'i2c-dev\n';

/** NetworkManager's settings reference, `802-11-wireless.powersave`: 2 is off. A radio that pauses delays commands by seconds. */
export const wifiPowerText = `# Written by lcs setup: a radio that pauses delays commands.
[connection]
wifi.powersave=2
`;

export interface AccessPoint {
  readonly name: string;
  readonly passphrase: string;
}

/** A key file of NetworkManager (nm-settings-keyfile(5)), in which `\` begins an escape. */
const keyFileValue = (text: string): string => text.replaceAll('\\', '\\\\');

/** The ID of its connection. */
export const accessPointId = 'lcs-access-point';

/** The machine's own wireless network, with addresses for its members. It takes precedence over others that this machine knows. */
export const accessPointText = (device: string, { name, passphrase }: AccessPoint): string => `[connection]
id=${accessPointId}
type=wifi
interface-name=${device}
autoconnect=true
autoconnect-priority=100

[wifi]
mode=ap
band=bg
ssid=${keyFileValue(name)}

[wifi-security]
key-mgmt=wpa-psk
proto=rsn
psk=${keyFileValue(passphrase)}

[ipv4]
method=shared

[ipv6]
method=ignore
`;

/** The network's name in such a text. */
export const accessPointName = (text: string): string | undefined =>
  /^ssid=(.*)$/m.exec(text)?.[1]?.replaceAll('\\\\', '\\');
