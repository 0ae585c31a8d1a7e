// Has a long value, off the page's thread.
import { type Asked, type ValueReader, answer } from "../model/valueReader";

let reader: ValueReader | null = null;

self.onmessage = (event: MessageEvent<Asked>) => {
  const [now, told] = answer(reader, event.data);
  reader = now;
  self.postMessage(told);
};
