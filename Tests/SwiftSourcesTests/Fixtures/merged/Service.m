@implementation Service
- (void)didReceiveNotificationRequest:(UNNotificationRequest *)request withContentHandler:(void (^)(UNNotificationContent *))contentHandler {
  NSDictionary *info = request.content.userInfo;
  NSMutableDictionary *all = [NSMutableDictionary new];
  [all addEntriesFromDictionary:info];
  NSString *a = [NSString stringWithString:all[@"of_all"]];
  NSDictionary *copy = [[NSDictionary alloc] initWithDictionary:info copyItems:YES];
  NSString *b = [NSString stringWithString:copy[@"of_copy"]];
  NSMutableDictionary *set = [NSMutableDictionary new];
  set[@"size"] = @"1";
  [set setDictionary:info];
  NSString *c = [NSString stringWithString:set[@"of_set"]];
  NSDictionary *kept = [[info retain] autorelease];
  NSString *d = [NSString stringWithString:kept[@"of_kept"]];
  NSSet *names = [NSSet setWithArray:[info allKeys]];
  if ([names containsObject:@"of_names"]) { NSLog(@"yes"); }
  [[info mutableCopy] removeObjectForKey:@"removed"];
  NSArray *some = [info objectsForKeys:@[@"x"] notFoundMarker:[NSNull null]];
  if ([predicate evaluateWithObject:info]) { NSLog(@"yes"); }
  if ([info isEqualToDictionary:copy]) { NSLog(@"%lu", info.count); }
}
@end
