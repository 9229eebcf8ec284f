import { type ExecFileException, execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Health } from '@lcs/contract';
import { findOutputDrives, kernelFiles } from '@lcs/hardware';
import { errnoOf, machineServerName, peerKeyOf, reasonOf, writeFileDurably } from '@lcs/platform';
import { Value } from 'typebox/value';
import { detectBoard } from '../linux-board.ts';
import {
  ended,
  type LeaderAnswer,
  type MachineFiles,
  type MachinePorts,
  notExecutable,
  notInstalled,
  type RunTool,
  readLimitMs,
} from './machine-ports.ts';
import { surveyBoard } from './survey-board.ts';

export interface LinuxMachineOptions {
  /** Default: `/`. Another one is for tests. */
  readonly root?: string;
  /** Folders of programs, separated by colons. Default: those of the system. */
  readonly toolPath?: string;
  readonly isRoot: boolean;
}

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Chosen: the log of a service, and no more. */
const mostOutputBytes = 16e6;
const answerLimitMs = 5_000;

/** This machine. */
export function linuxMachine({ root = '/', toolPath = systemPath, isRoot }: LinuxMachineOptions): MachinePorts {
  return {
    files: filesBelow(root),
    run: toolsIn(toolPath),
    askLeader,
    findBoard: () => detectBoard(join(root, 'proc/device-tree')),
    findOutputDrives: () => findOutputDrives(kernelFiles(join(root, 'sys'))),
    surveyBoard: (version, dataFolder) =>
      surveyBoard(version, join(root, dataFolder), { sysfs: join(root, 'sys'), toolPath }),
    isRoot,
  };
}

/** What is no file, or not readable for this account. */
const absent: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'ESRCH']);
/** Of a driver in `/sys` that has no value now. On a disk, these are faults. */
const withoutValue: ReadonlySet<string | undefined> = new Set(['EIO', 'EINVAL', 'ENODATA']);

async function ifThere<T>(path: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const errno = errnoOf(error);
    if (absent.has(errno) || (path.startsWith('/sys/') && withoutValue.has(errno))) return undefined;
    throw error;
  }
}

const filesBelow = (root: string): MachineFiles => ({
  read: (path, encoding = 'utf8') => ifThere(path, readFile(join(root, path), encoding)),
  list: async (folder) => (await ifThere(folder, readdir(join(root, folder)))) ?? [],
  changedMs: async (path) => (await ifThere(path, stat(join(root, path))))?.mtimeMs,
  async rights(path) {
    const found = await ifThere(path, stat(join(root, path)));
    return found && { groupId: found.gid, mode: found.mode };
  },
  async write(path, content, mode, encoding = 'utf8') {
    const at = join(root, path);
    await mkdir(dirname(at), { recursive: true });
    await writeFileDurably(at, Buffer.from(content, encoding), { mode });
  },
  remove: (path) => rm(join(root, path), { force: true }),
});

const toolsIn =
  (path: string): RunTool =>
  (program, args, limitMs = readLimitMs) =>
    new Promise((resolve) => {
      const env = { PATH: path, LC_ALL: 'C' };
      const limits = { timeout: limitMs, maxBuffer: mostOutputBytes };
      execFile(program, [...args], { ...limits, env, encoding: 'utf8' }, (error, stdout, stderr) => {
        if (error === null) return resolve({ exitCode: 0, stdout, stderr });
        const reason = reasonOfEnd(error, limitMs);
        resolve({
          exitCode: exitCodeOf(error),
          stdout,
          stderr: reason === undefined ? stderr : `${reason}\n${stderr}`,
        });
      });
    });

function exitCodeOf({ code }: ExecFileException): number {
  if (typeof code === 'number') return code;
  if (code === 'ENOENT') return notInstalled;
  return code === 'EACCES' ? notExecutable : ended;
}

/** Why a program was ended; undefined: it has ended by itself, or has not started. */
function reasonOfEnd({ code, killed, signal }: ExecFileException, limitMs: number): string | undefined {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `its output was longer than ${mostOutputBytes / 1e6} MB`;
  if (killed) return `it did not end within ${limitMs / 1000} s`;
  return signal === undefined || signal === null ? undefined : `it was ended by ${signal}`;
}

/** The health of a node is for everybody; its certificate is not verified, because nothing is sent. Its key says whose it is. */
function askLeader(url: string): Promise<LeaderAnswer> {
  return new Promise((resolve) => {
    const silent = (reason: string) => resolve({ kind: 'silent', reason });
    if (!URL.canParse('/unit_api/health', url)) return silent('this is no address');
    const target = new URL('/unit_api/health', url);
    const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const outgoing = request(target, {
      agent: false,
      rejectUnauthorized: false,
      servername: machineServerName,
      signal: AbortSignal.timeout(answerLimitMs),
    });
    outgoing.once('error', (error) => silent(connectionFault(error)));
    outgoing.once('response', (response) => {
      const key = peerKeyOf(response.socket);
      text(response).then(
        (body) => {
          const health = parsed(body);
          if (Value.Check(Health, health)) resolve({ kind: 'answered', name: health.reactor_unit, key });
          else silent(`the response (status ${response.statusCode}) is not from a leader`);
        },
        (error: unknown) => silent(connectionFault(error)),
      );
    });
    outgoing.end();
  });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const faults: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is unknown in this network',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNREFUSED: 'nothing listens there',
  EHOSTUNREACH: 'there is no way to that machine',
  ENETUNREACH: 'this machine is in no network that leads there',
  ETIMEDOUT: 'it does not respond',
  ECONNRESET: 'it closes the connection; a leader on a network uses https',
};

/** Why there is no answer, as the end of a sentence. */
function connectionFault(error: unknown): string {
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
    return `it does not respond within ${answerLimitMs / 1000} s`;
  const code = errnoOf(error);
  return (code === undefined ? undefined : faults[code]) ?? reasonOf(error);
}
