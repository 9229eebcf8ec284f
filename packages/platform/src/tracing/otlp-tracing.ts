import type { SpanContext, Tracer } from '@opentelemetry/api';
import type { SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Clock } from '../clock/clock.ts';
import { endsWithin } from '../clock/with-timeout.ts';
import type { Service } from '../lifecycle/in-order.ts';
import type { Log } from '../log/log.ts';
import type { OpenSpan, SpanStart, Tracing } from './tracing.ts';

export interface OtlpTracingOptions {
  /** Base address of a collector: spans go to `/v1/traces` below it. */
  readonly endpoint: string;
  /** Kind and name of the node. */
  readonly service: 'lcs-leader' | 'lcs-unit';
  readonly instance: string;
  readonly version: string;
  readonly wire: Clock;
  readonly log: Log;
}

/** Loaded when tracing starts: a node that nobody traces needs neither the time nor the memory. */
const loadLibraries = async () => ({
  api: await import('@opentelemetry/api'),
  core: await import('@opentelemetry/core'),
  exporter: await import('@opentelemetry/exporter-trace-otlp-http'),
  resources: await import('@opentelemetry/resources'),
  sdk: await import('@opentelemetry/sdk-trace'),
});

interface Loaded {
  readonly libraries: Awaited<ReturnType<typeof loadLibraries>>;
  readonly provider: TracerProvider;
  readonly tracer: Tracer;
}

const scopeName = 'lcs';
/** Spans wait so long to be sent together. */
const batchMs = 1_000;
/** The stop of a node waits so long for the last spans. */
const lastSpansMs = 1_000;
const idleSpan: OpenSpan = { traceparent: undefined, end: () => {} };

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

/** The exporter reports its faults to nobody; the log gets the first of each outage. */
function reporting(inner: SpanExporter, endpoint: string, log: Log): SpanExporter {
  let hasFailed = false;
  return {
    export: (spans, done) =>
      inner.export(spans, (result) => {
        if (result.error !== undefined && !hasFailed)
          log.warn('Spans cannot be sent; the node works on without them', { endpoint, cause: result.error.message });
        hasFailed = result.error !== undefined;
        done(result);
      }),
    shutdown: () => inner.shutdown(),
    forceFlush: async () => inner.forceFlush?.(),
  };
}

/** Sends spans to an OpenTelemetry collector by OTLP over HTTP. Their times are those of the machine, also where the node's clock is virtual. */
export class OtlpTracing implements Tracing, Service {
  readonly name = 'tracing';
  readonly #options: OtlpTracingOptions;
  #loaded: Loaded | undefined;

  constructor(options: OtlpTracingOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { endpoint, service, instance, version, log } = this.#options;
    const libraries = await loadLibraries();
    const { sdk, exporter, resources } = libraries;
    const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
    const provider = new sdk.TracerProvider({
      resource: resources.resourceFromAttributes({
        'service.name': service,
        'service.instance.id': instance,
        'service.version': version,
      }),
      spanProcessors: [
        new sdk.BatchSpanProcessor({
          exporter: reporting(new exporter.OTLPTraceExporter({ url }), endpoint, log),
          scheduledDelayMillis: batchMs,
        }),
      ],
    });
    this.#loaded = { libraries, provider, tracer: provider.getTracer(scopeName, version) };
  }

  /** Sends the last spans, for a second at most. */
  async stop(): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = undefined;
    if (loaded === undefined) return;
    const { wire, log } = this.#options;
    const sent = loaded.provider.shutdown().catch((error) => log.warn('The last spans were not sent', { error }));
    await endsWithin(sent, wire, lastSpansMs);
  }

  begin({ name, kind, parent, values }: SpanStart): OpenSpan {
    if (this.#loaded === undefined) return idleSpan;
    const { libraries, tracer } = this.#loaded;
    const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = libraries.api;
    const caused = parent === undefined ? null : libraries.core.parseTraceParent(parent);
    const context = caused === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caused, isRemote: true });
    const spanKind = kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL;
    const span = tracer.startSpan(name, { kind: spanKind, attributes: { ...values } }, context);
    return {
      traceparent: traceparentOf(span.spanContext()),
      end: (fault, more = {}) => {
        span.setAttributes({ ...more });
        if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: fault });
        span.end();
      },
    };
  }
}
