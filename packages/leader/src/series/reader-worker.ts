import { hash } from 'node:crypto';
import { isMainThread, type MessagePort, parentPort, type Transferable, workerData } from 'node:worker_threads';
import { logPageOf } from './log-page.ts';
import type { ReaderReply, ReaderRequest, ReaderSettings } from './reader-protocol.ts';
import { RowReader } from './row-reader.ts';
import { type LinesQuestion, type SeriesQuestion, SeriesReader } from './series-reader.ts';

/** Some 4 MB of text; larger responses are read and sent part by part. */
const maxPointsAtOnce = 80_000;

// Imports little: every module is loaded again for each thread.

/** Answers requests until the other side closes the port. */
export function serve(port: MessagePort, { place }: ReaderSettings): void {
  const post = (reply: ReaderReply, transferred: readonly Transferable[] = []) => port.postMessage(reply, transferred);
  const series = SeriesReader.open(place);
  const rows = RowReader.open(place);
  const answer = (question: SeriesQuestion) => {
    const read = series.answerOrPlan(question, maxPointsAtOnce);
    if ('parts' in read) return post({ is: 'plan', plan: read });
    const { bytes, targetPoints, changesAtMs } = read;
    const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`;
    post({ is: 'answer', answer: { bytes, etag, targetPoints, changesAtMs } }, [bytes.buffer]);
  };
  const answerLines = (question: LinesQuestion) => {
    const bytes = series.lines(question);
    post({ is: 'lines', bytes }, [bytes.buffer]);
  };
  const answerPage = ({ query, limits }: ReaderRequest & { readonly is: 'log page' }) =>
    post({ is: 'log page', page: logPageOf(rows.rows(query), limits) });
  port.on('close', () => {
    series.close();
    rows.close();
  });
  port.on('message', (request: ReaderRequest) => {
    try {
      switch (request.is) {
        case 'series':
          answer(request.question);
          break;
        case 'lines':
          answerLines(request.question);
          break;
        case 'log page':
          answerPage(request);
          break;
        case 'rows':
          post({ is: 'rows', rows: rows.rows(request.query) });
      }
    } catch (error) {
      post({ is: 'failure', message: error instanceof Error ? error.message : String(error) });
    }
  });
}

if (!isMainThread && parentPort) serve(parentPort, workerData);
