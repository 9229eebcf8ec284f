import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CaptureFailed } from './camera.ts';
import { type CameraConfig, cameraConfig } from './camera-config.ts';
import { cameraMachine } from './camera-machine.ts';
import { type CameraMachine, CommandCamera, type ProgramResult } from './command-camera.ts';

const jpeg = Uint8Array.from([0xff, 0xd8, 1, 2, 3, 0xff, 0xd9, 0]);
const listed = 'Available cameras\n-----------------\n0 : ov5647 [2592x1944 10-bit GBRG] (/base/soc/i2c0mux)\n';
const text = (content: string) => new TextEncoder().encode(content);
const withSection = (section: Record<string, string>): CameraConfig => cameraConfig({ camera: section });

interface Setup {
  readonly installed?: readonly string[];
  readonly files?: readonly string[];
  readonly devices?: readonly string[];
  readonly results?: (args: readonly string[]) => ProgramResult | Error;
}

/** A machine that writes down what it was asked to run. */
function machineWith({ installed = [], files = [], devices = [], results }: Setup) {
  const ran: { path: string; args: readonly string[]; limitMs: number }[] = [];
  const machine: CameraMachine = {
    find: async (names) => names.filter((name) => installed.includes(name)).map((name) => `/usr/bin/${name}`)[0],
    run: async (path, args, limitMs) => {
      ran.push({ path, args, limitMs });
      const result = results?.(args) ?? { exitCode: 0, stdout: jpeg, stderr: '' };
      if (result instanceof Error) throw result;
      return result;
    },
    isCharacterDevice: async (path) => devices.includes(path),
    isFile: async (path) => files.includes(path),
  };
  return { camera: new CommandCamera(machine), ran };
}

const never = new AbortController().signal;

describe('a camera behind a program', () => {
  it('takes a still of the first camera with everything fixed', async () => {
    const { camera, ran } = machineWith({ installed: ['rpicam-still', 'libcamera-still'] });
    expect(await camera.capture(withSection({}), 0, never)).toEqual(jpeg);
    const args =
      '--nopreview --immediate --timeout 1 --camera 0 --width 2592 --height 1944 --shutter 180000 --gain 1 ' +
      '--awbgains 1,1 --saturation 0 --contrast 1.1 --encoding jpg --quality 95 --thumb 320:240:70 --output -';
    expect(ran).toEqual([{ path: '/usr/bin/rpicam-still', args: args.split(' '), limitMs: 20_000 }]);
  });

  it('uses the older program, another camera, and the tuning of the sensor where there is one', async () => {
    const tuning = '/usr/share/libcamera/ipa/rpi/vc4/ov5647_noir.json';
    const { camera, ran } = machineWith({ installed: ['libcamera-still'], files: [tuning] });
    await camera.capture(withSection({ camera_index: '1' }), 0, never);
    expect(ran[0]?.path).toBe('/usr/bin/libcamera-still');
    expect(ran[0]?.args.join(' ')).toContain(`--camera 1 --tuning-file ${tuning} --width`);
  });

  it('takes stills of a v4l2 device, whose path is one argument whatever it is', async () => {
    const { camera, ran } = machineWith({ installed: ['fswebcam'] });
    await camera.capture(withSection({ capture_backend: 'v4l2', device_path: '/dev/video2; reboot' }), 0, never);
    const args = ['--resolution', '2592x1944', '--greyscale', '--no-banner', '--jpeg', '95', '-'];
    expect(ran[0]).toEqual({
      path: '/usr/bin/fswebcam',
      args: ['--quiet', '--device', '/dev/video2; reboot', ...args],
      limitMs: 20_000,
    });
  });

  it.each([
    ['no program', {}, 'it needs rpicam-still or libcamera-still'],
    [
      'a failure',
      { results: () => ({ exitCode: 1, stdout: text(''), stderr: 'a\nno cameras available\n' }) },
      'no cameras',
    ],
    ['silence', { results: () => ({ exitCode: null, stdout: text(''), stderr: '' }) }, 'longer than 20 s'],
    ['something else', { results: () => ({ exitCode: 0, stdout: text('hello'), stderr: '' }) }, 'returned no picture'],
    [
      'half a picture',
      { results: () => ({ exitCode: 0, stdout: jpeg.slice(0, 4), stderr: '' }) },
      'returned no picture',
    ],
    ['no start', { results: () => new Error('EACCES') }, 'could not be started'],
  ] satisfies [string, Setup, string][])('names the fault: %s', async (what, setup, sentence) => {
    const { camera } = machineWith({ ...setup, installed: what === 'no program' ? [] : ['rpicam-still'] });
    const failure = camera.capture(withSection({}), 0, never);
    await expect(failure).rejects.toThrow(CaptureFailed);
    await expect(failure).rejects.toThrow(sentence);
  });

  it('is detected when it is in the list', async () => {
    const { camera, ran } = machineWith({
      installed: ['rpicam-still'],
      results: () => ({ exitCode: 0, stdout: text(listed), stderr: '' }),
    });
    const facts = { isAvailable: true, command: 'rpicam-still', isMock: false };
    expect(await camera.detect(withSection({}))).toEqual({ ...facts, detection: 'detected' });
    const other = { ...facts, detection: 'configured_camera_not_detected' };
    expect(await camera.detect(withSection({ camera_index: '1' }))).toEqual(other);
    // What is certain is not asked again.
    await camera.detect(withSection({}));
    await camera.detect(withSection({ camera_index: '1' }));
    expect(ran).toHaveLength(2);
    expect(ran[0]).toEqual({ path: '/usr/bin/rpicam-still', args: ['--list-cameras'], limitMs: 3_000 });
  });

  it.each([
    ['took too long', { exitCode: null, stdout: text(listed), stderr: '' }],
    ['failed', { exitCode: 255, stdout: text(''), stderr: 'busy' }],
    ['did not start', new Error('EACCES')],
  ])('is unknown when the list %s, and is read again', async (_, first) => {
    let result: ProgramResult | Error = first;
    const { camera } = machineWith({ installed: ['rpicam-still'], results: () => result });
    expect(await camera.detect(withSection({}))).toMatchObject({ detection: 'unknown', isAvailable: true });
    result = { exitCode: 0, stdout: text(''), stderr: listed };
    expect(await camera.detect(withSection({}))).toMatchObject({ detection: 'detected' });
  });

  it('is unknown without a program, and a v4l2 device is one that is there', async () => {
    const none = { detection: 'unknown', isAvailable: false, command: null, isMock: false };
    expect(await machineWith({}).camera.detect(withSection({}))).toEqual(none);
    const setup = { installed: ['fswebcam'], devices: ['/dev/video0'] };
    const v4l2 = { capture_backend: 'v4l2' };
    expect(await machineWith(setup).camera.detect(withSection(v4l2))).toMatchObject({
      detection: 'detected',
      command: 'fswebcam',
    });
    expect(await machineWith(setup).camera.detect(withSection({ ...v4l2, device_path: '/dev/video1' }))).toMatchObject({
      detection: 'configured_camera_not_detected',
    });
  });
});

describe('the machine', () => {
  it('runs a program without a shell and brings its bytes; ends one that takes too long or was cancelled', async () => {
    const bytes = await cameraMachine.run('/bin/printf', ['%s', '$HOME; ls'], 5_000);
    expect({ ...bytes, stdout: new TextDecoder().decode(bytes.stdout) }).toEqual({
      exitCode: 0,
      stdout: '$HOME; ls',
      stderr: '',
    });
    expect((await cameraMachine.run('/bin/false', [], 5_000)).exitCode).toBe(1);
    expect((await cameraMachine.run('/bin/sleep', ['30'], 50)).exitCode).toBe(null);
    const abort = new AbortController();
    const running = cameraMachine.run('/bin/sleep', ['30'], 5_000, abort.signal);
    abort.abort();
    await expect(running).rejects.toThrow();
    await expect(cameraMachine.run('/nowhere', [], 5_000)).rejects.toThrow('ENOENT');
  });

  it('knows files and devices', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lcs-camera-'));
    try {
      await mkdir(join(folder, 'bin'));
      await writeFile(join(folder, 'file'), '');
      await chmod(join(folder, 'file'), 0o600);
      expect(await cameraMachine.isFile(join(folder, 'file'))).toBe(true);
      expect(await cameraMachine.isFile(join(folder, 'bin'))).toBe(false);
      expect(await cameraMachine.isCharacterDevice('/dev/null')).toBe(true);
      expect(await cameraMachine.isCharacterDevice(join(folder, 'none'))).toBe(false);
      expect(await cameraMachine.find(['no-such-program', 'sleep'])).toMatch(/\/sleep$/);
      expect(await cameraMachine.find(['no-such-program'])).toBe(undefined);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

it('reads its section, and takes the usual for what makes no sense', () => {
  const usual = {
    isEnabled: false,
    intervalMinutes: 5,
    backend: 'rpicam',
    cameraIndex: 0,
    devicePath: '/dev/video0',
    irPercent: 80,
    mostStills: 500,
    mostBytes: 2_048_000_000,
  };
  expect(cameraConfig({})).toEqual(usual);
  const nonsense = { enabled: 'perhaps', snapshot_interval_minutes: '-1', capture_backend: 'film', max_stills: 'x' };
  expect(withSection({ ...nonsense, ir_led_intensity: '101' })).toEqual(usual);
  expect(withSection({ enabled: '1', snapshot_interval_minutes: '0', max_mb: '3', ir_led_intensity: '0' })).toEqual({
    ...usual,
    isEnabled: true,
    intervalMinutes: 0,
    mostBytes: 3_000_000,
    irPercent: 0,
  });
});
