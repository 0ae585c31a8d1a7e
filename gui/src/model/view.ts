// Which part of a graph is seen, and how large: all of it, unless its states would be too small to be pressed then.
import { type Box, STATE_HEIGHT } from "./layout";

/** What is pressed is as high as WCAG 2.2 asks (2.5.8): 24 px, and a little for what borders and rounding take. */
export const LEAST_ZOOM = 25 / STATE_HEIGHT;
const MARGIN = 12;

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Rect extends Size {
  readonly x: number;
  readonly y: number;
}

/** Where the graph's corner is in the room, and how many pixels one of its units takes. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** Of each box by its key, from the graph's corner. */
export function placesOf(boxes: readonly Box[]): ReadonlyMap<string, Rect> {
  const places = new Map<string, Rect>();
  // Parents come before what is in them.
  for (const { key, parent, x, y, width, height } of boxes) {
    const around = parent === null ? undefined : places.get(parent);
    places.set(key, { x: x + (around?.x ?? 0), y: y + (around?.y ?? 0), width, height });
  }
  return places;
}

/** @param near what is seen where there is no room for all; undefined: what stands first */
export function firstView(places: ReadonlyMap<string, Rect>, room: Size, near: Rect | undefined): View {
  const all = [...places.values()];
  if (all.length === 0) return { x: 0, y: 0, zoom: 1 };
  const [left, top] = [Math.min(...all.map(({ x }) => x)), Math.min(...all.map(({ y }) => y))];
  const [right, bottom] = [Math.max(...all.map(({ x, width }) => x + width)), Math.max(...all.map(({ y, height }) => y + height))];
  const wanted = Math.min((room.width - 2 * MARGIN) / (right - left), (room.height - 2 * MARGIN) / (bottom - top));
  const zoom = Math.min(1, Math.max(LEAST_ZOOM, wanted));
  const head = headOf(near ?? all.reduce((first, one) => (one.y < first.y ? one : first)));
  return {
    x: shift(left * zoom, right * zoom, room.width, (head.x + head.width / 2) * zoom),
    y: shift(top * zoom, bottom * zoom, room.height, (head.y + head.height / 2) * zoom),
    zoom,
  };
}

/** Moved no more than it takes for the place to be seen; the same view, where it is. */
export function showing(view: View, room: Size, place: Rect): View {
  const { x, y, width, height } = headOf(place);
  const { zoom } = view;
  const moved = { x: into(view.x, x * zoom, width * zoom, room.width), y: into(view.y, y * zoom, height * zoom, room.height), zoom };
  return moved.x === view.x && moved.y === view.y ? view : moved;
}

/** Where a state's own text stands, over those that are inside it. */
const headOf = (place: Rect): Rect => ({ ...place, height: Math.min(place.height, STATE_HEIGHT) });

/** Of one axis: what fits is in the middle; of what does not, the point is, as far as no room is left empty. */
function shift(from: number, to: number, room: number, point: number): number {
  if (to - from + 2 * MARGIN <= room) return (room - to - from) / 2;
  return Math.min(MARGIN - from, Math.max(room - MARGIN - to, room / 2 - point));
}

/** Of one axis: what is longer than the room is seen from its beginning. */
function into(at: number, from: number, long: number, room: number): number {
  const [least, most] = [MARGIN - from, room - MARGIN - long - from];
  return most < least ? least : Math.min(Math.max(at, least), most);
}
