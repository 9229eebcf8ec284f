import type { Json } from '@lcs/contract';
import type { JobContext, JobEvent, JobOrigin, JobReading, JobRequest, JobTopics } from './job-definition.ts';
import { overriddenConfig } from './job-request.ts';
import type { JobRuntimeOptions } from './job-runtime-options.ts';
import type { JobScope } from './job-scope.ts';
import type { JobValues } from './job-values.ts';

interface ContextParts {
  readonly origin: JobOrigin;
  readonly request: JobRequest;
  readonly scope: JobScope;
  readonly values: JobValues;
  readonly topics: JobTopics;
  readonly runtime: JobRuntimeOptions;
  readonly completeEvent: (event: JobEvent) => JobEvent;
  readonly publish: (name: string, value: Json) => void;
  readonly rest: () => void;
  /** The job takes these outputs. */
  readonly takes: (outputs: readonly string[]) => void;
}

const hasTime = (reading: JobReading): reading is JobReading & { readonly atMs: number } => reading.atMs !== undefined;

/** The interface of the node for one job. */
export function makeContext({
  origin,
  request,
  scope,
  values,
  topics,
  runtime,
  completeEvent,
  publish,
  rest,
  takes,
}: ContextParts): JobContext {
  const { sink, actuators, clock, config, facts, unit } = runtime;
  const published = new Set<string>();
  // The next job may be of another experiment: a turbidostat that took the last value of a job that has ended would dilute by it.
  scope.signal.addEventListener('abort', () => {
    for (const key of published) topics.readings.forget(key);
  });
  return {
    ...origin,
    unit,
    model: request.model ?? facts().model,
    options: request.options,
    args: request.args,
    config: overriddenConfig(config(), request.overrides),
    clock: scope.clock,
    signal: scope.signal,
    topics,
    repeat: (intervalMs, action) => scope.repeat(intervalMs, action),
    listen: (topic, listener, options) => scope.listen(topic, listener, options),
    setting: (name) => values.get(name),
    publish,
    reading: (reading) => {
      // After its end a job publishes nothing more.
      if (scope.signal.aborted) return;
      const { source, channel, value } = reading;
      if (!Number.isFinite(value))
        throw new RangeError(`A reading of ${source} must be a finite number, not ${value}.`);
      const stamped = hasTime(reading) ? reading : { ...reading, atMs: clock.now() };
      sink.reading(origin, stamped);
      const key = channel === undefined ? source : `${source}/${channel}`;
      published.add(key);
      topics.readings.publish(key, stamped);
    },
    event: (event) => {
      if (scope.signal.aborted) return;
      const complete = completeEvent(event);
      sink.event(origin, complete);
      topics.events.publish(complete.name, complete);
    },
    log: (level, message) => sink.log(origin, level, message),
    lease: (outputs, onOverridden) => {
      scope.signal.throwIfAborted();
      takes(outputs);
      return actuators.acquire(origin, outputs, onOverridden);
    },
    rest,
  };
}
