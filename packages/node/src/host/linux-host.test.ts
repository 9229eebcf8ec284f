import { memoryLog } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { HarmlessHost } from './harmless-host.ts';
import { type Host, HostCommandFailed } from './host.ts';
import { LinuxHost } from './linux-host.ts';
import type { CommandResult } from './run-command.ts';

function recorded(answers: Readonly<Record<string, Partial<CommandResult>>> = {}) {
  const commands: string[] = [];
  const host = new LinuxHost({
    log: memoryLog(),
    service: 'lcs.service',
    accessPointMarker: '/nowhere/at/all',
    run: async (file, args) => {
      commands.push([file, ...args].join(' '));
      return { exitCode: 0, stdout: '', stderr: '', ...answers[file] };
    },
  });
  return { host, commands };
}

const device = {
  device: '/dev/sda1',
  parentDevice: '/dev/sda',
  label: 'LAB',
  uuid: 'AB12-CD34',
  fileSystem: 'exfat',
  sizeBytes: 1000,
  mountpoints: [],
  isRemovable: true,
};

const owner = `uid=${process.getuid?.()},gid=${process.getgid?.()}`;

describe('a Linux machine', () => {
  it.each([
    ['reboots', (host: Host) => host.reboot(), ['systemctl reboot']],
    ['shuts down', (host: Host) => host.shutDown(), ['systemctl poweroff']],
    ['sets its clock', (host: Host) => host.setClock(1_795_753_139_605), ['date --utc --set=2026-11-27T04:18:59.605Z']],
    ['starts the program again', (host: Host) => host.restartProgram(), ['systemctl restart --no-block lcs.service']],
    [
      'mounts',
      (host: Host) => host.mount(device, '/run/usb/x'),
      [`mount -t exfat -o rw,nosuid,nodev,noexec,${owner},umask=002 /dev/sda1 /run/usb/x`],
    ],
    [
      'mounts with owners',
      (host: Host) => host.mount({ ...device, fileSystem: 'ext4' }, '/x'),
      ['mount -t ext4 -o rw,nosuid,nodev,noexec /dev/sda1 /x'],
    ],
    ['unmounts', (host: Host) => host.unmount(device, '/x'), ['sync --file-system /x', 'umount /x']],
    [
      'switches a drive off',
      (host: Host) => host.powerOff(device),
      ['udisksctl power-off --no-user-interaction --block-device /dev/sda'],
    ],
  ])('%s by fixed commands', async (_, act, commands) => {
    const { host, commands: run } = recorded();
    await act(host);
    expect(run).toEqual(commands);
  });

  it('reports the output of a failed command', async () => {
    const { host } = recorded({ systemctl: { exitCode: 1, stderr: 'Access denied\n' }, udisksctl: { exitCode: 1 } });
    await expect(host.reboot()).rejects.toThrow(new HostCommandFailed('systemctl', 'Access denied'));
    await host.powerOff(device);
  });

  it('reports that a command is missing', async () => {
    const host = new LinuxHost({ log: memoryLog(), service: 'x', run: () => Promise.reject(new Error('ENOENT')) });
    await expect(host.reboot()).rejects.toBeInstanceOf(HostCommandFailed);
  });

  it('knows the state of its service', async () => {
    expect(await recorded({ systemctl: { stdout: 'active\n' } }).host.programStatus()).toEqual({
      service: 'lcs.service',
      isActive: true,
      statusText: 'active',
    });
    expect(await recorded({ systemctl: { exitCode: 3, stdout: 'failed\n' } }).host.programStatus()).toMatchObject({
      isActive: false,
      statusText: 'failed',
    });
  });

  describe('lists', () => {
    const entry = (name: string, change: object = {}) => ({
      name,
      pkname: null,
      label: null,
      uuid: null,
      fstype: null,
      size: 1000,
      mountpoints: [null],
      rm: false,
      tran: null,
      type: 'disk',
      ...change,
    });
    const part = (name: string, pkname: string, change: object) => entry(name, { pkname, type: 'part', ...change });
    const listed = async (...blockdevices: readonly object[]) =>
      recorded({ lsblk: { stdout: JSON.stringify({ blockdevices }) } }).host.removableDevices();
    const stick = {
      ...entry('/dev/sda', { tran: 'usb', rm: true }),
      children: [part('/dev/sda1', '/dev/sda', { label: 'LAB', uuid: 'AB12-CD34', fstype: 'exfat', rm: true })],
    };
    /**
     * Made by hand: what lsblk of util-linux says of the SD card that a Raspberry Pi runs from. It calls this card
     * hotpluggable (a column that is not asked for), as it does every MMC device; the kernel does not call it removable.
     */
    const sdCard = {
      ...entry('/dev/mmcblk0', { tran: 'mmc', hotplug: true, size: 31_914_983_424 }),
      children: [
        part('/dev/mmcblk0p1', '/dev/mmcblk0', {
          hotplug: true,
          label: 'bootfs',
          uuid: '50C8-AEAE',
          fstype: 'vfat',
          size: 536_870_912,
          mountpoints: ['/boot/firmware'],
        }),
        part('/dev/mmcblk0p2', '/dev/mmcblk0', {
          hotplug: true,
          label: 'rootfs',
          uuid: 'fc7a1f9e-4967-4f41-a1f5-1b5927e6c5f9',
          fstype: 'ext4',
          mountpoints: ['/'],
        }),
      ],
    };

    it('are none on a Raspberry Pi with only its SD card', async () => {
      expect(await listed(sdCard)).toEqual([]);
      expect(await listed({ ...sdCard, tran: null })).toEqual([]);
    });

    it('the USB stick beside the SD card of a Raspberry Pi', async () => {
      expect(await listed(stick, sdCard)).toEqual([device]);
    });

    it('partitions of USB disks that do not call themselves removable', async () => {
      const disk = { ...stick, rm: false, children: stick.children.map((child) => ({ ...child, rm: false })) };
      expect(await listed(disk)).toEqual([device]);
    });

    it('whole removable drives without partitions', async () => {
      const whole = { label: null, uuid: null, parentDevice: null };
      expect(
        await listed(
          entry('/dev/sdb', { rm: true, fstype: 'vfat', mountpoints: ['/media/x'] }),
          entry('/dev/sdc', { rm: true }),
        ),
      ).toEqual([{ ...device, ...whole, device: '/dev/sdb', fileSystem: 'vfat', mountpoints: ['/media/x'] }]);
    });

    it('by a fixed command, whose answer it checks', async () => {
      const { host, commands } = recorded({ lsblk: { stdout: '{"blockdevices":[]}' } });
      await host.removableDevices();
      expect(commands).toEqual([
        'lsblk --json --bytes --paths --output NAME,PKNAME,LABEL,UUID,FSTYPE,SIZE,MOUNTPOINTS,RM,TRAN,TYPE',
      ]);
      const odd = recorded({ lsblk: { stdout: '{}' } });
      await expect(odd.host.removableDevices()).rejects.toBeInstanceOf(HostCommandFailed);
    });
  });
});

it('a machine that is not controlled changes nothing, and reads', async () => {
  const host = new HarmlessHost({ accessPointMarker: '/nowhere/at/all' });
  for (const act of [host.reboot, host.shutDown, host.setClock, host.restartProgram]) {
    await expect(act()).rejects.toBeInstanceOf(HostCommandFailed);
  }
  expect((await host.memory()).totalBytes).toBeGreaterThan(0);
  expect((await host.diskSpace('/')).totalBytes).toBeGreaterThan(0);
  expect(await host.isAccessPoint()).toBe(false);
  expect(await host.removableDevices()).toEqual([]);
});
