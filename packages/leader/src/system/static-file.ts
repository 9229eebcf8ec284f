import { ApiError, type clusterSystemRoutes, type Handler, StreamBody } from '@lcs/contract';
import type { NotFoundHook } from '@lcs/platform';

async function* once(content: string | Uint8Array) {
  yield content;
}

/** The files of the web UI. As for every route, `etag` decides whether the caller has the file already. */
export const staticFile =
  (page: NotFoundHook): Handler<(typeof clusterSystemRoutes)['getStaticFile']> =>
  async ({ params, headers: { 'if-none-match': _, ...headers } }) => {
    const path = `/static/${params.path}`;
    const file = await page({ method: 'GET', path, headers });
    if (file === undefined) throw new ApiError('route_not_found', { path });
    const { body } = file;
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    return {
      status: 200,
      body: new StreamBody(once(body)),
      headers: { ...file.headers, 'content-length': String(length) },
    };
  };
