import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyedCertificate, realClock } from '@lcs/platform';

const nginx = ['nginx', '/usr/sbin/nginx'].find((program) => !spawnSync(program, ['-v']).error);

/** Whether tests with nginx can run here; where they must (`LCS_NGINX_REQUIRED`), a missing one is an error. */
export const isNginxInstalled = nginx !== undefined;
if (!isNginxInstalled && process.env.LCS_NGINX_REQUIRED) throw new Error('nginx is not installed.');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const isReachable = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.destroy());
    socket.once('error', () => {});
    socket.once('close', (hadError) => resolve(!hadError));
  });

async function untilReachable(port: number, child: ChildProcess): Promise<void> {
  const clock = realClock();
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt += 1) {
    if (await isReachable(port)) return;
    await clock.sleep(25);
  }
  throw new Error('nginx did not start.');
}

/** As docs/network.md recommends it. */
const configuration = (folder: string, port: number, leaderPort: number): string => `
user root;
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n  ')}
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/server.crt;
    ssl_certificate_key ${folder}/server.key;
    client_max_body_size 64m;
    location / {
      proxy_pass http://127.0.0.1:${leaderPort};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
`;

/** A real nginx that terminates TLS in front of a leader. */
export async function startNginx(leaderPort: number, { key, certificate }: KeyedCertificate) {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-nginx-'));
  const port = await freePort();
  await writeFile(join(folder, 'server.key'), key);
  await writeFile(join(folder, 'server.crt'), certificate);
  await writeFile(join(folder, 'nginx.conf'), configuration(folder, port, leaderPort));
  const child = spawn(nginx ?? 'nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'ignore' });
  await untilReachable(port, child);
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
