import { isMainThread, type MessagePort, parentPort } from 'node:worker_threads';
import { realClock } from '../clock/real-clock.ts';
import { crashPoint } from './crash-point.ts';
import { type OpenedDatabase, openDatabase } from './open-database.ts';
import { storeErrorData, toStoreError } from './store-error.ts';
import { Writer } from './writer.ts';
import type { NumberedRequest, ReadyReport, WriterAnswer, WriterOpening, WriterSettings } from './writer-protocol.ts';

/** How long the thread may block on the lock of another process. */
const busyTimeoutMs = 100;

const reportOf = ({ applied, backupPath, setAside }: OpenedDatabase): ReadyReport => ({
  applied: applied.map(({ set, id, name }) => ({ set, id, name })),
  backupPath,
  setAside,
});

/** Opens and migrates one database, then serves its requests until it is closed. */
export const serve = (port: MessagePort, settings: WriterSettings) => {
  const onPoint = crashPoint(settings.crashAt);
  const answer = (message: WriterAnswer) => port.postMessage(message);
  let opened: OpenedDatabase;
  try {
    opened = openDatabase({ ...settings, onPoint: onPoint });
  } catch (error) {
    answer({ type: 'refused', error: storeErrorData(toStoreError(error)) });
    port.close();
    return;
  }
  // From here on others wait for this thread, so waiting for a lock is done by retries.
  opened.connection.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  const writer = new Writer({
    connection: opened.connection,
    answer,
    onPoint: onPoint,
    waitingCommands: settings.waitingCommands,
    clock: realClock(),
    end: () => port.close(),
  });
  port.on('message', (request: NumberedRequest) => writer.handle(request));
  // The other side has closed the port, for example after an aborted start.
  port.on('close', () => {
    if (opened.connection.isOpen) opened.connection.close();
  });
  answer({ type: 'ready', report: reportOf(opened) });
};

/** The writer's thread: serves each database on its own port. */
if (!isMainThread) parentPort?.on('message', ({ port, settings }: WriterOpening) => serve(port, settings));
