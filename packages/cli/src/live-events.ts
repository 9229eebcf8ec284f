/** One server-sent event (WHATWG HTML, section 9.2). */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** The events of a `text/event-stream`, in order of arrival, without comments. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let fields = new Map<string, string>();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') {
        addField(fields, line);
        continue;
      }
      const data = fields.get('data');
      if (data !== undefined) yield { id: fields.get('id'), event: fields.get('event') ?? 'message', data };
      fields = new Map();
    }
  }
}

function addField(fields: Map<string, string>, line: string): void {
  const at = line.indexOf(':');
  if (at === 0) return;
  const name = at < 0 ? line : line.slice(0, at);
  const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
  const before = fields.get(name);
  fields.set(name, name === 'data' && before !== undefined ? `${before}\n${value}` : value);
}
