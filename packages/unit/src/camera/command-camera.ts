import { type Camera, type CameraFacts, CaptureFailed, isJpeg } from './camera.ts';
import type { CameraConfig } from './camera-config.ts';

/** The result of a program. */
export interface ProgramResult {
  /** Null: a signal ended it, for example at its time limit. */
  readonly exitCode: number | null;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/** The functions of the machine that a camera needs. */
export interface CameraMachine {
  /** Path of the first of these programs that is installed; undefined: none. */
  find(names: readonly string[]): Promise<string | undefined>;
  /** Runs a program with these arguments, without a shell, and ends it after `limitMs`. Rejects when it cannot be started. */
  run(path: string, args: readonly string[], limitMs: number, signal?: AbortSignal): Promise<ProgramResult>;
  isCharacterDevice(path: string): Promise<boolean>;
  isFile(path: string): Promise<boolean>;
}

const detectLimitMs = 3_000;
const captureLimitMs = 20_000;
const programs = { rpicam: ['rpicam-still', 'libcamera-still'], v4l2: ['fswebcam'] } as const;

/** For the sensor without infrared filter, where the operating system keeps it: the newer boards first. */
const tuningFiles = [
  '/usr/share/libcamera/ipa/rpi/pisp/ov5647_noir.json',
  '/usr/share/libcamera/ipa/rpi/vc4/ov5647_noir.json',
] as const;

/** All settings are fixed, so that stills are comparable: one LED of constant intensity lights the vial. */
const rpicamArguments = (cameraIndex: number, tuningFile: string | undefined): readonly string[] => [
  '--nopreview',
  '--immediate',
  ...['--timeout', '1'],
  ...['--camera', String(cameraIndex)],
  ...(tuningFile === undefined ? [] : ['--tuning-file', tuningFile]),
  ...['--width', '2592', '--height', '1944'],
  ...['--shutter', '180000', '--gain', '1', '--awbgains', '1,1'],
  ...['--saturation', '0', '--contrast', '1.1'],
  ...['--encoding', 'jpg', '--quality', '95'],
  // The small picture of a tile.
  ...['--thumb', '320:240:70'],
  ...['--output', '-'],
];

const fswebcamArguments = (devicePath: string): readonly string[] => [
  '--quiet',
  ...['--device', devicePath],
  ...['--resolution', '2592x1944'],
  '--greyscale',
  '--no-banner',
  ...['--jpeg', '95'],
  '-',
];

/** Whether a list of cameras, as `--list-cameras` prints it, has this one. */
const lists = (text: string, cameraIndex: number): boolean =>
  text.split('\n').some((line) => new RegExp(`^\\s*${cameraIndex}\\s*:`).test(line));

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** A real camera, through the still program of the operating system. */
export class CommandCamera implements Camera {
  readonly #machine: CameraMachine;
  /** Certain results only, by configuration. */
  readonly #known = new Map<string, CameraFacts['detection']>();

  constructor(machine: CameraMachine) {
    this.#machine = machine;
  }

  async detect(config: CameraConfig): Promise<CameraFacts> {
    const program = await this.#program(config);
    const command = program === undefined ? null : baseName(program);
    return {
      detection: program === undefined ? 'unknown' : await this.#detection(program, config),
      isAvailable: program !== undefined,
      command,
      isMock: false,
    };
  }

  async capture(config: CameraConfig, _atMs: number, signal: AbortSignal): Promise<Uint8Array> {
    const program = await this.#program(config);
    if (program === undefined) {
      const names = programs[config.backend].join(' or ');
      throw new CaptureFailed(`No program to take stills is installed on this unit: it needs ${names}.`);
    }
    const result = await this.#run(program, await this.#arguments(config), captureLimitMs, signal);
    signal.throwIfAborted();
    const name = baseName(program);
    if (result === undefined) throw new CaptureFailed(`${name} could not be started.`);
    if (result.exitCode === null) throw new CaptureFailed(`${name} took longer than ${captureLimitMs / 1000} s.`);
    const last = result.stderr.trim().split('\n').at(-1) ?? '';
    if (result.exitCode !== 0) throw new CaptureFailed(`${name} failed with code ${result.exitCode}: ${last}`);
    if (!isJpeg(result.stdout)) throw new CaptureFailed(`${name} returned no picture.`);
    return result.stdout;
  }

  #program({ backend }: CameraConfig): Promise<string | undefined> {
    return this.#machine.find(programs[backend]);
  }

  async #arguments({ backend, cameraIndex, devicePath }: CameraConfig): Promise<readonly string[]> {
    if (backend === 'v4l2') return fswebcamArguments(devicePath);
    for (const file of tuningFiles) {
      if (await this.#machine.isFile(file)) return rpicamArguments(cameraIndex, file);
    }
    return rpicamArguments(cameraIndex, undefined);
  }

  async #detection(program: string, config: CameraConfig): Promise<CameraFacts['detection']> {
    const { backend, cameraIndex, devicePath } = config;
    const key = backend === 'v4l2' ? devicePath : String(cameraIndex);
    const known = this.#known.get(`${program} ${key}`);
    if (known !== undefined) return known;
    const isThere =
      backend === 'v4l2'
        ? await this.#machine.isCharacterDevice(devicePath)
        : await this.#isListed(program, cameraIndex);
    if (isThere === undefined) return 'unknown';
    const detection = isThere ? 'detected' : 'configured_camera_not_detected';
    this.#known.set(`${program} ${key}`, detection);
    return detection;
  }

  /** Undefined: unknown. */
  async #isListed(program: string, cameraIndex: number): Promise<boolean | undefined> {
    const result = await this.#run(program, ['--list-cameras'], detectLimitMs);
    if (result?.exitCode !== 0) return undefined;
    return lists(new TextDecoder().decode(result.stdout), cameraIndex) || lists(result.stderr, cameraIndex);
  }

  /** Undefined: it cannot be started. */
  async #run(path: string, args: readonly string[], limitMs: number, signal?: AbortSignal) {
    try {
      return await this.#machine.run(path, args, limitMs, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Error) return undefined;
      throw error;
    }
  }
}
