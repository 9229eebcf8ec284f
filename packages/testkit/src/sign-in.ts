import { createClient, hasShape, leaderApi, Session } from '@lcs/contract';

/** Signs in to a leader; resolves to the headers of requests in that session. */
export async function signIn(url: string, name: string, password: string): Promise<Record<string, string>> {
  const response = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  const session: unknown = await response.json();
  if (cookie === undefined || !hasShape(Session, session)) throw new Error(`No sign-in: ${JSON.stringify(session)}`);
  return { cookie, 'x-csrf-token': session.csrf_token ?? '' };
}

/** Typed calls to a leader in a session of this person. */
export const signedInClient = async (url: string, name: string, password: string) =>
  createClient(leaderApi, { baseUrl: url, headers: await signIn(url, name, password) });
