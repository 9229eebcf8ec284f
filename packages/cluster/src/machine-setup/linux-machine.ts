import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Health } from '@lcs/contract';
import { errnoOf, reasonOf, writeFileDurably } from '@lcs/platform';
import { Value } from 'typebox/value';
import { detectBoard } from '../linux-board.ts';
import {
  type LeaderAnswer,
  type MachineFiles,
  type MachinePorts,
  notInstalled,
  type RunTool,
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
/** A start of a leader that converts a database takes minutes (TimeoutStartSec of its service). */
const toolLimitMs = 900_000;
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
    surveyBoard: (version, dataFolder) =>
      surveyBoard(version, join(root, dataFolder), { sysfs: join(root, 'sys'), toolPath }),
    nowMs: Date.now,
    isRoot,
  };
}

/** What is no file, or not readable for this account. */
const absent: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'EACCES',
  'EPERM',
  'EINVAL',
  'EIO',
]);

async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (absent.has(errnoOf(error))) return undefined;
    throw error;
  }
}

const filesBelow = (root: string): MachineFiles => ({
  read: (path) => ifThere(readFile(join(root, path), 'utf8')),
  list: async (folder) => (await ifThere(readdir(join(root, folder)))) ?? [],
  changedMs: async (path) => (await ifThere(stat(join(root, path))))?.mtimeMs,
  async write(path, content, mode) {
    const at = join(root, path);
    await mkdir(dirname(at), { recursive: true });
    await writeFileDurably(at, content, { mode });
  },
});

const toolsIn =
  (path: string): RunTool =>
  (program, args) =>
    new Promise((resolve) => {
      const env = { PATH: path, LC_ALL: 'C' };
      const limits = { timeout: toolLimitMs, maxBuffer: mostOutputBytes };
      execFile(program, [...args], { ...limits, env, encoding: 'utf8' }, (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : notInstalled;
        resolve({ exitCode, stdout, stderr });
      });
    });

/** The health of a node is for everybody; its certificate is not verified, because nothing is sent and nothing depends on it. */
function askLeader(url: string): Promise<LeaderAnswer> {
  return new Promise((resolve) => {
    const silent = (reason: string) => resolve({ kind: 'silent', reason });
    if (!URL.canParse('/unit_api/health', url)) return silent('this is no address');
    const target = new URL('/unit_api/health', url);
    const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const outgoing = request(target, {
      agent: false,
      rejectUnauthorized: false,
      signal: AbortSignal.timeout(answerLimitMs),
    });
    outgoing.once('error', (error) => silent(connectionFault(error)));
    outgoing.once('response', (response) => {
      text(response).then(
        (body) => {
          const health = parsed(body);
          if (Value.Check(Health, health)) resolve({ kind: 'answered', name: health.reactor_unit });
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
