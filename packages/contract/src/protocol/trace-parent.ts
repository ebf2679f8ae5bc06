import Type from 'typebox';

export const TraceParent = Type.String({
  maxLength: 256,
  description:
    'Trace of the order, as in the header `traceparent` of W3C Trace Context. Only for daemons with the capability `trace`.',
  examples: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
});
