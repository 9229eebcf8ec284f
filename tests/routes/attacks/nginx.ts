import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@lcs/testkit';

const run = promisify(execFile);
const environment = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

/** Whether nginx is installed. CI sets LCS_NGINX_REQUIRED, so that a missing one fails. */
export async function hasNginx(): Promise<boolean> {
  try {
    await run('nginx', ['-v'], { env: environment });
    return true;
  } catch (error) {
    if (process.env.LCS_NGINX_REQUIRED) throw error;
    return false;
  }
}

export interface Nginx extends AsyncDisposable {
  /** The Unix socket where it listens. */
  readonly socket: string;
  /** How many requests it has seen. */
  requests(): Promise<number>;
}

/** nginx as a reverse proxy of a node, with kept connections to it; it listens when this resolves. */
export async function startNginx(port: number): Promise<Nginx> {
  const folder = await temporaryFolder('nginx');
  const inside = (name: string) => join(folder.path, name);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const config = `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${inside('pid')};
error_log ${inside('error.log')};
events { worker_connections 64; }
http {
  access_log ${inside('access.log')};
  ${kinds.map((kind) => `${kind}_temp_path ${inside(kind)};`).join('\n  ')}
  upstream node { server 127.0.0.1:${port}; keepalive 4; }
  server {
    listen unix:${inside('nginx.sock')};
    location / {
      proxy_pass http://node;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_request_buffering off;
    }
  }
}
`;
  await writeFile(inside('nginx.conf'), config);
  const command = ['-c', inside('nginx.conf'), '-e', inside('error.log')];
  // It goes to the background once it listens.
  await run('nginx', command, { env: environment });
  return {
    socket: inside('nginx.sock'),
    requests: async () => (await readFile(inside('access.log'), 'utf8')).split('\n').length - 1,
    [Symbol.asyncDispose]: async () => {
      await run('nginx', [...command, '-s', 'stop'], { env: environment });
      await folder[Symbol.asyncDispose]();
    },
  };
}
