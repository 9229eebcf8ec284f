import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

const emulator = '/usr/bin/qemu-aarch64-static';
const formats = '/proc/sys/fs/binfmt_misc';
const format = `${formats}/lcs-aarch64`;
/** How the kernel recognises a program for arm64 (ELF header: 64 bits, little-endian, machine 183), and which bits of it count. */
const magic = String.raw`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`;
const mask = String.raw`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`;

/** The kernel runs programs for arm64 in an emulator from now on, in other roots too (F); call the result when done. */
export function emulateArm64(): () => void {
  if (existsSync(format) || existsSync(`${formats}/qemu-aarch64`)) return () => {};
  writeFileSync(`${formats}/register`, `:lcs-aarch64:M::${magic}:${mask}:${emulator}:F`);
  return () => writeFileSync(format, '-1');
}

const inRoot = (root: string, command: readonly string[]): readonly string[] => [
  ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c'],
  'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec /usr/sbin/chroot "$0" "$@"',
  root,
  ...command,
];

/** Runs a command with another root; resolves to what it prints. Rejects when it fails. */
export async function runInRoot(root: string, ...command: readonly string[]): Promise<string> {
  return (await runFile('unshare', [...inRoot(root, command)], { maxBuffer: 64e6 })).stdout.trim();
}

/** Starts a command with another root. When it is killed, everything that it has started ends too. */
export const startInRoot = (root: string, env: NodeJS.ProcessEnv, ...command: readonly string[]): ChildProcess =>
  spawn('unshare', [...inRoot(root, command)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
