import { execFileSync } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { recordingHost } from './recording-host.ts';

let unit: UnitUnderTest;
let host: ReturnType<typeof recordingHost>;

beforeEach(async () => {
  host = recordingHost();
  unit = await startUnit({ observe, configure: { machine: host } });
});
afterEach(() => unit[Symbol.asyncDispose]());

describe('USB', () => {
  const drive = (name: string, change: object = {}) => ({
    device: `/dev/${name}1`,
    parentDevice: `/dev/${name}`,
    label: 'LAB',
    uuid: `AB12-${name}`,
    fileSystem: 'exfat',
    sizeBytes: 31_457_280_000,
    mountpoints: [],
    isRemovable: true,
    ...change,
  });
  const result = async (operation: 'mountUsb' | 'ejectUsb', device?: string | null) =>
    unit.finished((await unit.api.call(operation, { body: device === undefined ? {} : { device } })).expect(202));

  it('is absent, present, mounted, and absent again', async () => {
    expect((await unit.api.call('getUsb')).expect(200)).toEqual({
      status: 'absent',
      partitions: [],
      active_mount: null,
    });
    (await unit.api.call('getUsbArtifacts')).expect(400, 'usb_not_mounted');
    host.drives.push(drive('sda'));
    const mountpoint = join(unit.dataFolder, 'run', 'usb', 'usb-AB12-sda');
    expect((await unit.api.call('getUsb')).expect(200)).toMatchObject({
      status: 'present_unmounted',
      partitions: [
        {
          device: '/dev/sda1',
          display_name: 'LAB',
          mounted: false,
          reactor_mountpoint: mountpoint,
          unsupported_reason: null,
        },
      ],
    });
    expect(await result('mountUsb')).toMatchObject({
      result: { result: true, device: '/dev/sda1', display_name: 'LAB', mountpoint, msg: 'Mounted' },
    });
    expect((await unit.api.call('getUsb')).expect(200)).toMatchObject({
      status: 'mounted',
      active_mount: { device: '/dev/sda1', mountpoint, writable: true, free_bytes: 5e9 },
    });
    await writeFile(join(mountpoint, 'release_26.8.0.zip'), 'no zip');
    await mkdir(join(mountpoint, 'reactor', 'plugins'), { recursive: true });
    await writeFile(join(mountpoint, 'reactor', 'plugins', 'my_plugin.ts'), '');
    await writeFile(join(mountpoint, 'reactor-foo-1.0.0.tgz'), '');
    expect((await unit.api.call('getUsbArtifacts')).expect(200)).toEqual({
      mountpoint,
      updates: [{ path: join(mountpoint, 'release_26.8.0.zip'), version: '26.8.0', verified: false }],
      plugins: [
        { path: join(mountpoint, 'reactor-foo-1.0.0.tgz'), name: 'reactor-foo', version: '1.0.0', kind: 'package' },
        {
          path: join(mountpoint, 'reactor', 'plugins', 'my_plugin.ts'),
          name: 'my_plugin',
          version: null,
          kind: 'file',
        },
      ],
      writable: true,
      free_bytes: 5e9,
    });
    expect(await result('ejectUsb', 'sda1')).toMatchObject({
      result: { result: true, device: '/dev/sda1', display_name: 'LAB', msg: 'Ejected' },
    });
    expect(host.done).toEqual([`mount /dev/sda1 ${mountpoint}`, `unmount ${mountpoint}`, 'powerOff /dev/sda1']);
  });

  it("does not list the machine's own disks", async () => {
    const disk = { parentDevice: '/dev/sdb' };
    host.drives.push(
      drive('sdb', { ...disk, label: 'bootfs', fileSystem: 'vfat', mountpoints: ['/boot/firmware'] }),
      drive('sdb', { ...disk, device: '/dev/sdb2', label: 'rootfs', fileSystem: 'ext4', mountpoints: ['/'] }),
      drive('sdb', { ...disk, device: '/dev/sdb3', label: 'spare', fileSystem: 'ext4' }),
    );
    expect((await unit.api.call('getUsb')).expect(200)).toMatchObject({ status: 'absent', partitions: [] });
    expect(await result('mountUsb', '/dev/sdb3')).toMatchObject({ cause: 'There is no removable drive at /dev/sdb3.' });
    host.drives.push(drive('sda'));
    expect(await result('mountUsb')).toMatchObject({ result: { device: '/dev/sda1' } });
    expect((await unit.api.call('getUsb')).expect(200)).toMatchObject({ status: 'mounted' });
  });

  it('reports impossible operations', async () => {
    expect(await result('mountUsb')).toMatchObject({
      status: 'failed',
      code: 'usb_unusable',
      cause: 'There is no removable drive.',
    });
    host.drives.push(drive('sda'), drive('sdb', { fileSystem: 'ntfs' }), drive('sdc', { mountpoints: ['/media/lab'] }));
    expect((await unit.api.call('getUsb')).expect(200)).toMatchObject({ status: 'multiple_present' });
    const causes = [
      [null, 'There are several: /dev/sda1, /dev/sdb1, /dev/sdc1.'],
      ['/dev/sdz1', 'There is no removable drive at /dev/sdz1.'],
      ['sdb1', 'Its file system is ntfs; exfat, vfat, ext4 can be used.'],
      ['sdc1', '/dev/sdc1 is mounted at /media/lab.'],
    ] as const;
    for (const [device, cause] of causes) {
      expect(await result('mountUsb', device)).toMatchObject({ status: 'failed', code: 'usb_unusable', cause });
    }
    expect(await result('ejectUsb', 'sdc1')).toMatchObject({ cause: '/dev/sdc1 was not mounted by this node.' });
    expect(host.done).toEqual([]);
  });

  it('offers only plain files as updates', async () => {
    await using plain = await startUnit({ observe, name: 'unit2' });
    const folder = join(plain.dataFolder, 'run', 'usb', 'DEV_USB');
    await mkdir(join(folder, 'folder'), { recursive: true });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const name of ['folder', 'pipe', 'nothing']) {
      const body = { options: { source: join(folder, name) } };
      (await plain.api.call('updateNode', { body })).expect(400, 'update_option_invalid');
    }
  });

  it('keeps its permissions when those of the data folder are corrected', async () => {
    const place = join(unit.dataFolder, 'run', 'usb', 'DRIVE');
    const program = join(unit.dataFolder, 'plugins', 'program');
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'theirs.txt'), 'x', { mode: 0o644 });
    await mkdir(join(unit.dataFolder, 'plugins'), { recursive: true });
    await writeFile(program, 'x', { mode: 0o755 });
    await unit.finished((await unit.api.call('repairNode')).expect(202));
    expect((await stat(join(place, 'theirs.txt'))).mode & 0o777).toBe(0o644);
    expect((await stat(program)).mode & 0o777).toBe(0o700);
  });

  it('refuses a device of another type', async () => {
    for (const operation of ['mountUsb', 'ejectUsb'] as const) {
      (await unit.api.call(operation, { body: { device: 5 } })).expect(400, 'invalid_body');
    }
  });

  it('reports a failed listing without an error', async () => {
    host.fail('removableDevices');
    expect((await unit.api.call('getUsb')).expect(200)).toMatchObject({ status: 'error', error: expect.any(String) });
  });

  it('uses a plain folder as a drive without host control', async () => {
    await using plain = await startUnit({ observe, name: 'unit2' });
    const folder = join(plain.dataFolder, 'run', 'usb', 'DEV_USB');
    await mkdir(folder, { recursive: true });
    expect((await plain.api.call('getUsb')).expect(200)).toMatchObject({
      status: 'mounted',
      active_mount: { mountpoint: folder, writable: true },
    });
  });
});
