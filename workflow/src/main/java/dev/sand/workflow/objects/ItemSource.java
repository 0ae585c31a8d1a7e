package dev.sand.workflow.objects;

/**
 * Where a Map's items are.
 *
 * @param bucket the first part of the objects' keys, or null: the keys have none
 * @param name the object's key, or the prefix of the keys of objects that are items themselves; below the bucket
 * @param format of the object; null: the objects themselves are listed
 */
public record ItemSource(String bucket, String name, ItemFormat format) {
    /** Whether the name is a prefix of keys. */
    public boolean isListing() {
        return format == null || format.spread() == ItemFormat.Spread.LISTED;
    }

    /** Whether the items are in other objects than the one of that name. */
    public boolean isSpread() {
        return format != null && format.spread() != ItemFormat.Spread.ONE;
    }

    /** The whole key, or prefix of keys, among the application's objects. */
    public String key() {
        return bucket == null ? name : bucket + "/" + name;
    }

    /** What {@code $$.Map.Item.Source} shows. */
    public String shown() {
        if (bucket == null) {
            return isListing() ? "sand:object" : "sand:object:" + name;
        }
        return isListing() ? "s3://" + bucket : "s3://" + bucket + "/" + name;
    }
}
